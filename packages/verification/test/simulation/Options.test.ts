import { describe, expect, it } from "@effect/vitest"
import { parseOptions } from "@millrace/verification/simulation/Options"

describe("options of the simulation", () => {
  it("say how long, from which seed and on how many threads", () => {
    expect(parseOptions([])).toMatchObject({ seconds: 60, seed: undefined, scenarios: undefined, sweep: false })
    expect(parseOptions(["--seconds", "5", "--seed", "7", "--workers", "3"])).toEqual({
      seconds: 5,
      seed: 7,
      scenarios: undefined,
      workers: 3,
      sweep: false
    })
    expect(parseOptions(["--scenarios=100"])).toMatchObject({ scenarios: 100 })
    expect(parseOptions(["--sweep"])).toMatchObject({ sweep: true })
    expect(parseOptions(["--seed", "1", "--help"])).toBe("help")
  })

  it("play one scenario where only its seed is given", () => {
    expect(parseOptions(["--seed", "0"])).toMatchObject({ seed: 0, scenarios: 1 })
  })

  for (const [args, message] of [
    [["--seed", "-1"], "--seed"],
    [["--seed", "one"], '--seed must be a whole number from 0 to 2147483647, not "one"'],
    [["--seconds", "0"], '--seconds must be a whole number from 1 to 86400, not "0"'],
    [["--seconds", "1.5"], "--seconds"],
    [["--workers", "999"], "--workers"],
    [["--scenarios", "1e3"], "--scenarios"],
    [["--scenarios", "5", "--seconds", "5"], "--scenarios and --seconds exclude each other"],
    [["--sweep", "--seed", "5"], "--sweep is a run of its own"],
    [["--fast"], "--fast"],
    [["60"], "60"],
    [["--seconds"], "--seconds"]
  ] as const) {
    it(`refuse ${args.join(" ")}`, () => {
      expect(() => parseOptions(args)).toThrow(message)
    })
  }
})
