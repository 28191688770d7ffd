/** How long something takes the processor, whatever else the machine is doing. */

const spent = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** Milliseconds of the fastest of up to five tries; no more are made once one took at most `enough`. */
export const fastestMillis = (run: () => unknown, enough: number): number => {
  let best = Infinity
  for (let attempt = 0; attempt < 5 && best > enough; attempt++) {
    const start = spent()
    run()
    best = Math.min(best, spent() - start)
  }
  return best
}
