/** What commands write about a scene, and how they end. `vitest -u` writes down what they write now. */
import { afterAll, beforeAll, it } from "vitest"
import { run } from "../Run.ts"
import { expectGolden } from "./Golden.ts"
import { serveScene } from "./Served.ts"

let served: Awaited<ReturnType<typeof serveScene>>
beforeAll(async () => {
  served = await serveScene()
})
afterAll(() => served.stop())

type Line = readonly [line: string, stdin?: string]

it("writes what it wrote when it was recorded", async () => {
  const { base, env, scene } = served
  const { bank_id, data_type: _, enrichment_id, ...ids } = scene.params
  const account = `--bank ${bank_id} --account ${ids["account_id"]}`
  const table = `--table ${ids["table_id"]}`
  const feed = ids["feed_id"]!
  const lines: ReadonlyArray<Line> = [
    ["whoami"],
    ["whoami -o yaml"],
    ["workspace get"],
    ["workspace update --name Ours"],
    ["workspace update --currency nothing"],
    ["audit --limit 2"],
    ["audit verify"],
    ["banks list"],
    ["banks list -o table"],
    ["banks list -o csv"],
    ["banks list -o ndjson"],
    ["banks list -o toon"],
    [`banks get ${bank_id}`],
    ["banks get bank_00000000000000000000000000"],
    [`banks update ${bank_id} --name Household`],
    [`banks refresh ${bank_id}`],
    ["providers list"],
    ["institutions search demo"],
    [`accounts list --bank ${bank_id} -o table`],
    [`accounts transactions ${account} --limit 2`],
    [`accounts transactions ${account} --limit 2 -o csv --fields id,amount,description`],
    [`accounts balance ${account}`],
    [`accounts get ${account} -o yaml`],
    [`accounts matches list ${account} -o table`],
    [`accounts suggestions list ${account} -o table`],
    [`accounts suggestions accept ${ids["suggestion_id"]} ${account} -o csv`],
    [`accounts joins ${account}`],
    [`accounts loan ${account}`],
    [`accounts delete-transaction ${ids["record_id"]} ${account}`],
    [`accounts restore-transaction ${ids["record_id"]} ${account} -o csv`],
    [`records explain ${ids["record_id"]} -o table`],
    [`records set ${ids["record_id"]} --set category=Gifts --lock merchantName`],
    [`records undo ${ids["record_id"]}`],
    ["feeds data-type transactions -o table"],
    [`feeds uploads list ${scene.filesId} -o table`],
    [`feeds records ${feed} --limit 2 -o table`],
    [`feeds redeliver ${feed} ${ids["record_id"]}`],
    [`feeds redeliver ${feed}`],
    [`feeds withheld ${feed} -o table`],
    [`feeds preview ${feed} --file -`, '{"records":[{"description":"GREEN TEA","amount":-4.8}]}'],
    [`enrichments findings list ${scene.kinds["anomaly"]} -o table`],
    [`enrichments periods ${scene.kinds["budget"]} --from 2026-03-01 -o csv`],
    [`enrichments series list ${scene.kinds["recurring"]} -o table`],
    [`enrichments links ${scene.kinds["transfers"]} --limit 1 -o table`],
    [`enrichments decisions list ${scene.kinds["recurring"]} -o table`],
    [`enrichments simulations get ${ids["simulation_id"]} -o toon`],
    [`banks attempt ${ids["attempt_id"]}`],
    [`tables fields add ${table} --name Paid --type boolean`],
    [`rows get ${ids["row_id"]} ${table} -o yaml`],
    ["feeds list -o table"],
    [`feeds get ${feed}`],
    [
      "feeds create --name Mine --source upload --data-type transactions --file -",
      '{"sourceConfig":{"type":"upload"}}'
    ],
    ["feeds create --name Mine --source moon --data-type transactions"],
    [`feeds update ${feed} --name Renamed`],
    [`feeds sync ${feed}`],
    [`feeds delete ${scene.filesId}`],
    [`jobs list --feed ${feed} --limit 1`],
    [`jobs get ${ids["job_id"]} --feed ${feed}`],
    [`jobs cancel ${ids["job_id"]} --feed ${feed}`],
    [`enrichments list -o table`],
    [`enrichments get ${enrichment_id}`],
    ["enrichments create --starter fees --all-feeds"],
    [`enrichments update ${enrichment_id} --name Tea`],
    [`enrichments delete ${enrichment_id}`],
    ["tables list -o table"],
    [`tables get ${ids["table_id"]}`],
    ["tables create --name Bills --file -", '{"fields":[{"name":"Amount","type":"currency"}]}'],
    [`rows list ${table}`],
    [`rows list ${table} -o csv --fields id,values.number,values.amount`],
    [`rows list ${table} --filter {"field":"nothing","op":"eq","value":1}`],
    [`rows query ${table} --sort=-amount --limit 1 --all -o table`],
    [`rows create ${table} --file -`, '[{"values":{"number":"C-1"}}]'],
    [`rows update ${ids["row_id"]} ${table} --file - --if-version 9`, '{"values":{"amount":1}}'],
    [`rows delete ${ids["row_id"]} ${table}`],
    [`rows restore ${ids["row_id"]} ${table}`],
    [`tables delete ${ids["table_id"]}`],
    [`tables restore ${ids["table_id"]}`],
    ["call GET /v1/whoami"],
    ["call GET /v1/nowhere"],
    ["nothing"],
    ["banks"],
    ["banks get"],
    ["banks list --nothing"]
  ]
  const pages: Array<string> = []
  for (const [line, stdin] of lines) {
    const { code, err, out } = await run(line.split(" "), { env, ...(stdin === undefined ? {} : { stdin }) })
    const parts = [
      `$ millrace ${line}${stdin === undefined ? "" : ` <<< ${stdin}`}`,
      ...(out === "" ? [] : [out.trimEnd()]),
      ...(err === "" ? [] : [`stderr: ${err.trimEnd()}`]),
      `ends with ${code}`
    ]
    pages.push(`${parts.join("\n")}\n`)
  }
  await expectGolden("output.txt", pages.join("\n").replaceAll(base, "http://millrace.test"))
})
