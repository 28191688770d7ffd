/**
 * How much slower this machine is now than when it has nothing else to do: limits of time are judged with that much more.
 *
 * A little work of known processor time is done again and again; how long it takes by the clock tells what a process is
 * given of the machine.
 */
import { cpuUsage } from "node:process"

const everyMillis = 250
/** Processor time of one sample, in milliseconds: longer than the turn that a scheduler gives at once. */
const workMillis = 15

const spent = (): number => {
  const { system, user } = cpuUsage()
  return (system + user) / 1_000
}

/** Milliseconds by the clock for `workMillis` of work. */
const sample = (): number => {
  const began = performance.now()
  const before = spent()
  while (spent() - before < workMillis) Math.hypot(began, before)
  return performance.now() - began
}

export interface Slowness {
  /** Ends the measuring. Returns 1 on a quiet machine, 3 where everything takes three times as long. */
  readonly end: () => number
}

export const measureSlowness = (): Slowness => {
  const samples = [sample()]
  const timer = setInterval(() => samples.push(sample()), everyMillis)
  return {
    end: () => {
      clearInterval(timer)
      samples.push(sample())
      const mean = samples.reduce((sum, millis) => sum + millis, 0) / samples.length
      return Math.max(1, mean / workMillis)
    }
  }
}
