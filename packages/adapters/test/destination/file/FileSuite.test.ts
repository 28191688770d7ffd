import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { destinationOf } from "../../../../core/src/destination/Destinations.ts"
import { suite } from "@millrace/testing/suite/destination"
import * as Effect from "effect/Effect"
import { parse } from "../csv/Rfc4180.ts"
import { arrange } from "./FileWorld.ts"

suite("FileDestination", {
  write: "wholeFile",
  cells: "interpreted",
  make: Effect.map(arrange, ({ driver, config, feed, folder, exists }) => ({
    driver: destinationOf(driver),
    config,
    feed,
    spoil: Effect.sync(() => {
      const path = join(folder, config.path)
      const bytes = readFileSync(path)
      bytes[bytes.length - 3] = 0x78
      writeFileSync(path, bytes)
    }),
    lose: Effect.sync(() => rmSync(join(folder, config.path))),
    read: Effect.sync(() => {
      if (!exists(config.path)) return []
      const [names, ...rows] = parse(readFileSync(join(folder, config.path), "utf8"))
      return rows.map((cells) => Object.fromEntries(cells.map((cell, i) => [names![i]!, cell])))
    })
  }))
})
