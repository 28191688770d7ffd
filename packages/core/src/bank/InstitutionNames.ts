/**
 * The names of institutions that a search has shown, in the memory of this process: anyone who chose one learns its name on the way
 * to it, and no provider is asked for it again.
 */
import * as Context from "effect/Context"
import type { Institution } from "../provider/Connect.ts"

/** Names that are remembered, at most: a search shows 50 of each provider. */
const most = 20_000

export class InstitutionNames {
  private readonly names = new Map<string, string>()
  private readonly most: number

  constructor(kept = most) {
    this.most = kept
  }

  learn(instanceId: string, institutions: Iterable<Pick<Institution, "id" | "name">>): void {
    for (const { id, name } of institutions) {
      const key = `${instanceId} ${id}`
      // Those that were shown last are remembered.
      this.names.delete(key)
      this.names.set(key, name)
      if (this.names.size > this.most) this.names.delete(this.names.keys().next().value!)
    }
  }

  nameOf(instanceId: string, id: string): string | undefined {
    return this.names.get(`${instanceId} ${id}`)
  }
}

export const KnownInstitutions = Context.Reference<InstitutionNames>("@millrace/core/bank/InstitutionNames", {
  defaultValue: () => new InstitutionNames()
})
