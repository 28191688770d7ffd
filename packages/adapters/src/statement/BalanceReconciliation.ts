/** Whether balances and movements agree (decisions 7.1), in exact units of the finest amount. */
import { Decimal } from "@millrace/core"

/** Returns opening + sum - closing: `"0"` where the balances reconcile, else what is missing. */
export const difference = (
  opening: Decimal.Decimal,
  amounts: Iterable<Decimal.Decimal>,
  closing: Decimal.Decimal
): Decimal.Decimal => Decimal.subtract(Decimal.add(opening, Decimal.sum(amounts)), closing)

/** A movement; the balance behind it stands in an array beside. */
export interface BalancedRow {
  readonly line: number
  readonly date: string
  readonly amount: Decimal.Decimal
}

export interface RunningReconciliation {
  readonly opening: Decimal.Decimal
  /** Absent when rows of one day leave open which of them came last. */
  readonly closing: Decimal.Decimal | undefined
  readonly closingDate: string
  readonly difference: Decimal.Decimal
  /** Line of the first row whose balance does not follow from the one before. */
  readonly gapLine: number | undefined
}

/** Exact arithmetic in whole units: numbers while they are safe integers, else bigints. */
interface Units<N> {
  readonly zero: N
  readonly add: (a: N, b: N) => N
  readonly subtract: (a: N, b: N) => N
  readonly text: (a: N) => Decimal.Decimal
}

// Two summands below 2^52 add up to a safe integer.
const safeDigits = 15

const unitNumber = (value: Decimal.Decimal, scale: number): number => {
  let units = 0
  let behind = -1
  const negative = value.charCodeAt(0) === 45
  for (let at = negative ? 1 : 0; at < value.length; at++) {
    const c = value.charCodeAt(at)
    if (c === 46) behind = 0
    else {
      units = units * 10 + c - 48
      if (behind >= 0) behind++
    }
  }
  for (let digits = Math.max(behind, 0); digits < scale; digits++) units *= 10
  return negative ? -units : units
}

/** Checks the running balances of one account in every order that the file may stand in. */
export const reconcileRunning = (
  rows: ReadonlyArray<BalancedRow>,
  balances: ReadonlyArray<Decimal.Decimal | undefined>
): RunningReconciliation | undefined => {
  let scale = 0
  let whole = 0
  let stated = 0
  for (let index = 0; index < rows.length; index++) {
    const amount = rows[index]!.amount
    const balance = balances[index]
    const amountScale = Decimal.scale(amount)
    if (amountScale > scale) scale = amountScale
    if (amount.length > whole) whole = amount.length
    if (balance === undefined) continue
    stated++
    const balanceScale = Decimal.scale(balance)
    if (balanceScale > scale) scale = balanceScale
    if (balance.length > whole) whole = balance.length
  }
  if (stated === 0) return undefined
  // The sum of all rows must stay safe as well.
  if (whole + scale + rows.length.toString().length <= safeDigits) {
    const amounts: Array<number> = []
    const after: Array<number | undefined> = []
    for (let index = 0; index < rows.length; index++) {
      const balance = balances[index]
      amounts.push(unitNumber(rows[index]!.amount, scale))
      after.push(balance === undefined ? undefined : unitNumber(balance, scale))
    }
    return check(rows, amounts, after, {
      zero: 0,
      add: (a, b) => a + b,
      subtract: (a, b) => a - b,
      text: (a) => Decimal.fromUnits(BigInt(a), scale)
    })
  }
  return check(
    rows,
    rows.map((row) => Decimal.toUnits(row.amount, scale)),
    balances.map((balance) => (balance === undefined ? undefined : Decimal.toUnits(balance, scale))),
    { zero: 0n, add: (a, b) => a + b, subtract: (a, b) => a - b, text: (a) => Decimal.fromUnits(a, scale) }
  )
}

interface Chain<N> {
  readonly opening: N
  readonly closing: N
  readonly last: number
  readonly gaps: number
  readonly gapIndex: number
  readonly gap: N
  readonly difference: N
}

/** Follows the balances from the first row to the last, or the other way. */
const follow = <N>(
  amounts: ReadonlyArray<N>,
  balances: ReadonlyArray<N | undefined>,
  backwards: boolean,
  units: Units<N>
): Chain<N> => {
  const count = amounts.length
  let run = units.zero
  let total = units.zero
  let previous: N | undefined
  let opening = units.zero
  let gaps = 0
  let gapIndex = -1
  let gap = units.zero
  for (let step = 0; step < count; step++) {
    const index = backwards ? count - 1 - step : step
    run = units.add(run, amounts[index]!)
    total = units.add(total, amounts[index]!)
    const balance = balances[index]
    if (balance === undefined) continue
    if (previous === undefined) opening = units.subtract(balance, run)
    else if (units.add(previous, run) !== balance) {
      gaps++
      if (gapIndex < 0) {
        gapIndex = index
        gap = units.subtract(units.add(previous, run), balance)
      }
    }
    previous = balance
    run = units.zero
  }
  const closing = units.add(previous ?? opening, run)
  return {
    opening,
    closing,
    last: backwards ? 0 : count - 1,
    gaps,
    gapIndex,
    gap,
    difference: units.subtract(units.add(opening, total), closing)
  }
}

const check = <N>(
  rows: ReadonlyArray<BalancedRow>,
  amounts: ReadonlyArray<N>,
  balances: ReadonlyArray<N | undefined>,
  units: Units<N>
): RunningReconciliation => {
  const first = rows[0]!.date
  const last = rows[rows.length - 1]!.date
  const up = follow(amounts, balances, false, units)
  const down = follow(amounts, balances, true, units)
  if (up.gaps === 0 || down.gaps === 0) {
    const either = up.gaps === 0 && down.gaps === 0
    const chain = either ? (first > last ? down : up) : up.gaps === 0 ? up : down
    const open = either && first === last && up.closing !== down.closing
    return {
      opening: units.text(chain.opening),
      closing: open ? undefined : units.text(chain.closing),
      closingDate: rows[chain.last]!.date,
      difference: Decimal.zero,
      gapLine: undefined
    }
  }
  const byDay = followDays(rows, amounts, balances, units)
  if (byDay !== undefined) {
    return {
      opening: units.text(byDay.opening),
      closing: byDay.closing === undefined ? undefined : units.text(byDay.closing),
      closingDate: first > last ? first : last,
      difference: Decimal.zero,
      gapLine: undefined
    }
  }
  const chain = up.gaps === down.gaps ? (first > last ? down : up) : up.gaps < down.gaps ? up : down
  return {
    opening: units.text(chain.opening),
    closing: units.text(chain.closing),
    closingDate: rows[chain.last]!.date,
    // Gaps that cancel out are still gaps.
    difference: units.text(chain.difference === units.zero ? chain.gap : chain.difference),
    gapLine: rows[chain.gapIndex]!.line
  }
}

/**
 * Days in order, the rows of a day in any order: each row leads from the balance before it to the one behind,
 * so a day ties out when its rows form one path (Euler). `undefined` when some day does not.
 */
const followDays = <N>(
  rows: ReadonlyArray<BalancedRow>,
  amounts: ReadonlyArray<N>,
  balances: ReadonlyArray<N | undefined>,
  units: Units<N>
): { readonly opening: N; readonly closing: N | undefined } | undefined => {
  if (balances.includes(undefined)) return undefined
  const order = rows
    .map((_, index) => index)
    .toSorted((a, b) => (rows[a]!.date < rows[b]!.date ? -1 : rows[a]!.date > rows[b]!.date ? 1 : a - b))
  let opening: N | undefined
  let current: N | undefined
  // A first day that runs in a circle leaves open where it began, until the next day tells.
  let circle: Set<N> | undefined
  for (let from = 0; from < order.length;) {
    let to = from
    while (to < order.length && rows[order[to]!]!.date === rows[order[from]!]!.date) to++
    const path = dayPath(order.slice(from, to), amounts, balances, units)
    if (path === undefined) return undefined
    if (path.start === undefined) {
      if (current === undefined) {
        if (circle !== undefined) return undefined
        circle = path.nodes
      } else if (!path.nodes.has(current)) return undefined
    } else {
      if (circle !== undefined) {
        if (!circle.has(path.start)) return undefined
        opening = path.start
        circle = undefined
      } else if (current !== undefined && current !== path.start) return undefined
      opening ??= path.start
      current = path.end
    }
    from = to
  }
  const any = circle?.values().next().value
  return opening === undefined
    ? any === undefined
      ? undefined
      : { opening: any, closing: undefined }
    : { opening, closing: current }
}

interface DayPath<N> {
  /** Absent when the day ends on the balance that it began with. */
  readonly start: N | undefined
  readonly end: N | undefined
  readonly nodes: Set<N>
}

const dayPath = <N>(
  day: ReadonlyArray<number>,
  amounts: ReadonlyArray<N>,
  balances: ReadonlyArray<N | undefined>,
  units: Units<N>
): DayPath<N> | undefined => {
  const surplus = new Map<N, number>()
  const parent = new Map<N, N>()
  const rootOf = (node: N): N => {
    let root = node
    while (parent.get(root) !== undefined && parent.get(root) !== root) root = parent.get(root)!
    parent.set(node, root)
    return root
  }
  for (const index of day) {
    const behind = balances[index]!
    const before = units.subtract(behind, amounts[index]!)
    surplus.set(before, (surplus.get(before) ?? 0) + 1)
    surplus.set(behind, (surplus.get(behind) ?? 0) - 1)
    const a = rootOf(before)
    const b = rootOf(behind)
    if (a !== b) parent.set(a, b)
  }
  const nodes = new Set(surplus.keys())
  let root: N | undefined
  for (const node of nodes) {
    const own = rootOf(node)
    if (root !== undefined && own !== root) return undefined
    root = own
  }
  let start: N | undefined
  let end: N | undefined
  for (const [node, count] of surplus) {
    if (count === 0) continue
    if (count === 1 && start === undefined) start = node
    else if (count === -1 && end === undefined) end = node
    else return undefined
  }
  return { start, end, nodes }
}
