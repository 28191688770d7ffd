/** Properties that are tried up to a million cases, and what a case of each is. */

export interface Property {
  /** What `--only` names; unique. */
  readonly name: string
  /** The test that tries it, and the words of its title. */
  readonly file: string
  readonly title: string
  readonly cases: string
  /** Worlds that one process plays: so many that it takes a minute or so. */
  readonly worlds: number
}

const core = "packages/core/test"

export const properties: ReadonlyArray<Property> = [
  {
    name: "split-sums",
    file: `${core}/enrichment/kinds/split/Shares.property.test.ts`,
    title: "gives away exactly the amount",
    cases: "amounts that are split",
    worlds: 1_000_000
  },
  {
    name: "splits-of-people",
    file: `${core}/enrichment/kinds/split/PersonsSplit.property.test.ts`,
    title: "has exactly the amount and its sign",
    cases: "amounts that a person has split",
    worlds: 1_000_000
  },
  {
    name: "split-lines",
    file: `${core}/sync/SplitRun.property.test.ts`,
    title: "random",
    cases: "records whose rows are looked at after a run",
    worlds: 400
  },
  {
    name: "filter-partition",
    file: `${core}/sync/FilteredRun.property.test.ts`,
    title: "random filters over random records",
    cases: "records that filters decide about in a run",
    worlds: 400
  },
  {
    name: "alert-once",
    file: `${core}/enrichment/kinds/alert/Alert.test.ts`,
    title: "tells each beginning once",
    cases: "records that an alert looks at in a run",
    worlds: 2_000
  },
  {
    name: "preview-as-run",
    file: `${core}/explain/Preview.test.ts`,
    title: "random previews",
    cases: "records that are previewed, then run",
    worlds: 150
  },
  {
    name: "one-to-one",
    file: `${core}/enrichment/kinds/transfer/Transfers.property.test.ts`,
    title: "have each record once",
    cases: "records that may be legs of transfers",
    worlds: 4_000
  },
  {
    name: "transfers-in-any-order",
    file: `${core}/enrichment/kinds/transfer/Transfers.property.test.ts`,
    title: "are the same to the byte however",
    cases: "records that arrive in another order",
    worlds: 600
  },
  {
    name: "fees-in-any-order",
    file: `${core}/enrichment/kinds/fees/Fees.property.test.ts`,
    title: "are the same to the byte however",
    cases: "records that arrive in another order",
    worlds: 300
  },
  {
    name: "undo-of-all",
    file: `${core}/explain/UndoOfAll.property.test.ts`,
    title: "all sixteen kinds at once",
    cases: "records where everything is undone and redone, for each of sixteen kinds",
    worlds: 30
  },
  {
    name: "undo-of-runs",
    file: `${core}/explain/UndoOfRuns.property.test.ts`,
    title: "are undone to the values of the provider",
    cases: "records where all runs are undone",
    worlds: 60
  }
]
