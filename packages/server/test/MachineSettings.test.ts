import { expect, it } from "vitest"
import { type Machine, machineSettings } from "../src/postgres/MachineSettings.ts"

const gibibyte = 1_073_741_824

const of = (memory: number, disk: Machine["disk"]) => {
  const settings = machineSettings({ memory, disk })
  return (name: string) => {
    const megabytes = /^(\d+)MB$/.exec(settings[name] ?? "")?.[1]
    if (megabytes === undefined) throw new TypeError(`${name} is no size`)
    return Number(megabytes)
  }
}

it("takes an eighth of the memory for itself, within bounds", () => {
  expect(of(gibibyte / 4, undefined)("shared_buffers")).toBe(64)
  expect(of(4 * gibibyte, undefined)("shared_buffers")).toBe(512)
  expect(of(256 * gibibyte, undefined)("shared_buffers")).toBe(2_048)
})

it("lets the log take a twentieth of the disk, a quarter of what is free, and 2 GiB at most", () => {
  const log = (size: number, free: number) =>
    of(gibibyte, { size: size * gibibyte, free: free * gibibyte })("max_wal_size")
  expect(log(500, 400)).toBe(2_048)
  expect(log(20, 15)).toBe(1_024)
  expect(log(20, 2)).toBe(512)
  expect(log(1, 0.1)).toBe(256)
  expect(of(gibibyte, undefined)("max_wal_size")).toBe(256)
})

it("never keeps more of the log for reuse than the log may take", () => {
  for (const size of [0.1, 1, 10, 100, 1_000]) {
    const setting = of(gibibyte, { size: size * gibibyte, free: size * gibibyte })
    expect(setting("min_wal_size")).toBeLessThan(setting("max_wal_size"))
  }
})

it("says nothing of what a commit promises", () => {
  const names = Object.keys(machineSettings({ memory: gibibyte, disk: undefined }))
  for (const name of ["fsync", "synchronous_commit", "full_page_writes", "wal_level", "wal_sync_method"]) {
    expect(names).not.toContain(name)
  }
})
