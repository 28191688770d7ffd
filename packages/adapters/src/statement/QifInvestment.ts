/** Records of brokerage accounts: what each action does to the cash of the account. */
import type { TransactionType } from "@millrace/core/record"

interface Action {
  /** What it does to the cash: adds, takes, as its sign says, or nothing. */
  readonly cash: "adds" | "takes" | "signed" | "none"
  readonly type: TransactionType
}

const actions: ReadonlyMap<string, Action> = new Map(
  (
    [
      ["sell shtsell div cgshort cgmid cglong rtrncap miscinc", "adds", "OTHER"],
      ["intinc", "adds", "INTEREST"],
      ["xin contribx contrib", "adds", "TRANSFER_INCOMING"],
      ["buy cvrshrt", "takes", "OTHER"],
      ["miscexp", "takes", "FEE"],
      ["margint", "takes", "INTEREST"],
      ["xout withdrwx withdrw", "takes", "TRANSFER_OUTGOING"],
      ["cash ncash", "signed", "OTHER"],
      // With an X the money comes from another account, or goes there: this one's stays.
      [
        "buyx sellx shtsellx cvrshrtx divx intincx cgshortx cgmidx cglongx rtrncapx miscincx miscexpx margintx reinvdiv " +
          "reinvint reinvsh reinvmd reinvlg shrsin shrsout stksplit grant vest exercise exercisx expire reminder",
        "none",
        "OTHER"
      ]
    ] as const
  ).flatMap(([names, cash, type]) => names.split(" ").map((name) => [name, { cash, type }] as const))
)

/** What the `N` of a record says; `undefined` for an action that is not known. */
export const investmentAction = (name: string): Action | undefined =>
  actions.get(name === "" ? "cash" : name.toLowerCase().replace(/\s+/g, ""))
