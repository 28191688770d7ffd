import { readFileSync } from "node:fs"
import { join } from "node:path"
import { suite } from "@millrace/testing/suite/DestinationSuite"
import * as Effect from "effect/Effect"
import { parse } from "../csv/Rfc4180.ts"
import { arrange } from "./FileWorld.ts"

suite("FileDestination", {
  write: "wholeFile",
  cells: "interpreted",
  make: Effect.map(arrange, ({ driver, config, feed, folder, exists }) => ({
    driver,
    config,
    feed,
    read: Effect.sync(() => {
      if (!exists(config.path)) return []
      const [names, ...rows] = parse(readFileSync(join(folder, config.path), "utf8"))
      return rows.map((cells) => Object.fromEntries(cells.map((cell, i) => [names![i]!, cell])))
    })
  }))
})
