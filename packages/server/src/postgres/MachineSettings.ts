/**
 * Settings of the built-in PostgreSQL for the machine that it is on: those it comes with are for the smallest one. They
 * change how fast it writes and how much it keeps at hand, and nothing of what it promises: what was committed survives.
 */
import { statfs } from "node:fs/promises"
import { totalmem } from "node:os"
import { dirname } from "node:path"

/** What a machine has, in bytes; of the disk, that of the data folder. `undefined` where it cannot be told. */
export interface Machine {
  readonly memory: number
  readonly disk: { readonly size: number; readonly free: number } | undefined
}

const mebibyte = 1_048_576

/** What a commit promises is on, whatever else is set, in the files of the cluster too. */
export const durableSettings = { fsync: "on", synchronous_commit: "on", full_page_writes: "on" } as const

const between = (least: number, value: number, most: number): string =>
  `${Math.round(Math.min(most, Math.max(least, value / mebibyte)))}MB`

/** Mebibytes that the log of the database takes at the least and at the most, before it is written off into the tables. */
const leastLog = 256
const mostLog = 2_048
/** Parts of the disk, and of what was free of it at the start, that the log takes at most. */
const diskPart = 20
const freePart = 4

/** The log is bounded by the disk, and by what is read again in a minute after a crash. */
const logSize = (disk: Machine["disk"]): number =>
  disk === undefined ? 0 : Math.min(disk.size / diskPart, disk.free / freePart)

export const machineSettings = ({ disk, memory }: Machine): Readonly<Record<string, string>> => ({
  // The server, its statement readers and the disk cache need the rest.
  shared_buffers: between(64, memory / 8, 2_048),
  effective_cache_size: between(256, memory / 2, 65_536),
  work_mem: between(4, memory / 512, 32),
  maintenance_work_mem: between(64, memory / 32, 256),
  // Each checkpoint has pages written whole into the log when they are changed next: the rarer, the fewer.
  max_wal_size: between(leastLog, logSize(disk), mostLog),
  min_wal_size: between(leastLog / 4, logSize(disk) / 4, mostLog / 4),
  checkpoint_timeout: "15min",
  // Known to every build.
  wal_compression: "pglz",
  // What is asked is small; making programs of it takes longer than running it.
  jit: "off"
})

/** Memory that this process may use: a container has less than its machine. */
const memoryHere = (): number => {
  const most = process.constrainedMemory()
  return most > 0 ? Math.min(most, totalmem()) : totalmem()
}

/** `folder`: that of the cluster, which may be about to be made. */
export const machineOf = async (folder: string): Promise<Machine> => ({
  memory: memoryHere(),
  disk: await statfs(dirname(folder)).then(
    ({ bavail, blocks, bsize }) => ({ size: blocks * bsize, free: bavail * bsize }),
    () => undefined
  )
})
