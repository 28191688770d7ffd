/** A place where calls can be held: the moments at which workers are stopped. */

/** Milliseconds after which nobody is expected to come any more. */
const patienceMillis = 300_000

export interface Held<A> {
  /** The first call that came to be held; refused when none comes in its time. */
  readonly first: Promise<A>
  /** Lets all go on, and holds no more. */
  readonly open: () => void
}

interface Bar<A> {
  readonly matches: (call: A) => boolean
  readonly came: (call: A) => void
  readonly opened: Promise<void>
}

export class Gate<A> {
  private readonly bars = new Set<Bar<A>>()

  /** Holds every call that matches, from now on. */
  close(matches: (call: A) => boolean): Held<A> {
    const first = Promise.withResolvers<A>()
    const opened = Promise.withResolvers<void>()
    const late = setTimeout(() => first.reject(new Error("No call came to the gate")), patienceMillis)
    // Not everybody asks for it.
    first.promise.catch(() => undefined)
    const came = (call: A) => {
      clearTimeout(late)
      first.resolve(call)
    }
    const bar: Bar<A> = { matches, came, opened: opened.promise }
    this.bars.add(bar)
    return {
      first: first.promise,
      open: () => {
        clearTimeout(late)
        this.bars.delete(bar)
        opened.resolve()
      }
    }
  }

  /** Waits as long as the call is held. */
  async pass(call: A): Promise<void> {
    for (const bar of this.bars) {
      if (!bar.matches(call)) continue
      bar.came(call)
      await bar.opened
    }
  }
}
