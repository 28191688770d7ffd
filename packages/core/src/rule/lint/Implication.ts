/**
 * What is certain of conditions and of pairs of them, whatever the record (enrichments E6). Exact where tests
 * compare with known values. Other tests, such as `contains`, may be true or false of any value that is there, and
 * equal ones are so together: what follows from that follows from what they mean.
 */
import type { FilterPlan } from "../../filter/FilterPlan.ts"
import type { FieldCatalog } from "../../record/FieldCatalog.ts"
import { Effort, findModel, type Found } from "./ModelSearch.ts"
import { highest, isTrueIn, lowest, negate, type Model, type Proposition } from "./Proposition.ts"
import { Vocabulary } from "./Vocabulary.ts"

/** Steps after which nothing is said about one question, and about all of them. */
const stepsPerQuestion = 10_000
const stepsInAll = 2_000_000

const anywhere: ReadonlyMap<number, bigint> = new Map()

/** What variables must be among, going by the parts that must all be true. */
const needsOf = (proposition: Proposition, needs = new Map<number, bigint>()): Map<number, bigint> => {
  if (proposition.tag === "among")
    needs.set(proposition.variable, (needs.get(proposition.variable) ?? proposition.all) & proposition.values)
  else if (proposition.tag === "all") for (const part of proposition.parts) needsOf(part, needs)
  return needs
}

/** What is worked out of one plan, each part when it is first needed. */
class Statement {
  readonly holds: Proposition
  private readonly plan: FilterPlan
  private readonly vocabulary: Vocabulary
  private readonly find: (given: ReadonlyArray<Proposition>, limits: ReadonlyMap<number, bigint>) => Found
  private madeFails: Proposition | undefined
  private madeCertain: Proposition | undefined
  private foundModel: Found | undefined
  private madeModels: ReadonlyArray<Model> | undefined
  private foundExample: Model | null | undefined
  private madeNeeds: Model | undefined

  constructor(plan: FilterPlan, vocabulary: Vocabulary, find: Statement["find"]) {
    this.plan = plan
    this.vocabulary = vocabulary
    this.find = find
    this.holds = vocabulary.read(plan, false)
  }

  get fails(): Proposition {
    return (this.madeFails ??= negate(this.holds))
  }

  /** That it holds whatever tests of unknown values answer. */
  get certain(): Proposition {
    return (this.madeCertain ??= this.vocabulary.read(this.plan, true))
  }

  /** What it cannot be certain without. */
  get needs(): Model {
    return (this.madeNeeds ??= needsOf(this.certain))
  }

  /** Whether it contradicts itself; `undefined` when that is not certain. */
  get isNever(): boolean | undefined {
    const found = (this.foundModel ??= this.find([this.holds], anywhere))
    return found === "undecided" ? undefined : found === "none"
  }

  /** Values of which it holds, as far from each other as it takes little to find them. */
  get models(): ReadonlyArray<Model> {
    return (this.madeModels ??=
      this.isNever === false ? [lowest(this.foundModel as Model), highest(this.foundModel as Model)] : [])
  }

  /** Values of which it is certain, none of them unlikely; `undefined` where there are none that are known. */
  get example(): Model | undefined {
    if (this.foundExample === undefined) {
      const found = this.find([this.certain], this.vocabulary.likely)
      this.foundExample = typeof found === "string" ? null : lowest(found)
    }
    return this.foundExample ?? undefined
  }
}

export class Implication {
  private readonly vocabulary: Vocabulary
  private readonly statements = new Map<FilterPlan, Statement>()
  private readonly effort = new Effort(stepsInAll)

  /** Only these plans can be asked about: they are told apart by identity. */
  constructor(plans: ReadonlyArray<FilterPlan>, catalog: FieldCatalog) {
    this.vocabulary = new Vocabulary(plans, catalog)
  }

  private readonly find = (given: ReadonlyArray<Proposition>, limits: ReadonlyMap<number, bigint>): Found =>
    findModel(given, limits, new Effort(stepsPerQuestion, this.effort))

  private statement(plan: FilterPlan): Statement {
    let statement = this.statements.get(plan)
    if (statement === undefined)
      this.statements.set(plan, (statement = new Statement(plan, this.vocabulary, this.find)))
    return statement
  }

  /** Whether it holds for no record; `false` when that is not certain. */
  isNever(plan: FilterPlan): boolean {
    return this.statement(plan).isNever === true
  }

  /** Whether it holds for every record; `false` when that is not certain. */
  isAlways(plan: FilterPlan): boolean {
    return this.find([this.statement(plan).fails], anywhere) === "none"
  }

  /** Whether the second holds wherever the first one does; `false` when that is not certain. */
  implies(first: FilterPlan, second: FilterPlan): boolean {
    if (first === second) return true
    const [a, b] = [this.statement(first), this.statement(second)]
    if (a.isNever !== false) return a.isNever === true
    // Most pairs have nothing to do with each other: any record that the first holds for shows it.
    if (!this.effort.spend(1) || !a.models.every((model) => isTrueIn(b.holds, model))) return false
    return this.find([a.holds, b.fails], anywhere) === "none"
  }

  /** Whether there are records that both hold for; `false` when that is not certain. */
  overlaps(first: FilterPlan, second: FilterPlan): boolean {
    const [a, b] = [this.statement(first), this.statement(second)]
    const { example } = a
    if (example === undefined || b.example === undefined) return false
    // Most pairs ask for different values of the same field.
    for (const [variable, values] of a.needs) if (((b.needs.get(variable) ?? values) & values) === 0n) return false
    if (this.effort.spend(1) && isTrueIn(b.certain, example)) return true
    return typeof this.find([a.certain, b.certain], this.vocabulary.likely) !== "string"
  }
}
