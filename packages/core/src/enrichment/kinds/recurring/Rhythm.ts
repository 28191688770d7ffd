/** On which days a series falls: a cadence with its anchor and what happens on days without business (enrichments D3.4). */
import type { ShiftPolicy } from "../../../shared/BusinessCalendar.ts"
import { shiftPolicies } from "../../../shared/BusinessCalendar.ts"
import { type CadenceName, cadenceNames, cadenceOf } from "./Cadence.ts"
import type { SlotCalendar } from "./SlotCalendar.ts"

export interface Rhythm {
  readonly cadence: CadenceName
  /** Of cadences in days: the remainder of its days since 1970-01-01 by the period. Of several months: of its months. */
  readonly phase: number
  /** Days of the month, 31 for the last one; two for `semimonthly`. None where days or weekdays are counted. */
  readonly days: ReadonlyArray<number>
  /** Such as the second Tuesday: 1 to 4, 5 for the last, and 0 (Sunday) to 6. */
  readonly weekday?: { readonly nth: number; readonly day: number }
  readonly shift: ShiftPolicy
}

/** Slots are numbered without gaps; which number the first has means nothing. */
export const slotDay = (rhythm: Rhythm, slot: number, slots: SlotCalendar): number => {
  const { days, months } = cadenceOf(rhythm.cadence)
  if (days !== undefined) return rhythm.phase + slot * days
  if (rhythm.weekday !== undefined) return slots.nthWeekday(slot, rhythm.weekday.nth, rhythm.weekday.day)
  if (months === 0.5) return slots.dayOfMonth(Math.floor(slot / 2), rhythm.days[slot & 1]!, rhythm.shift)
  return slots.dayOfMonth(rhythm.phase + slot * months!, rhythm.days[0]!, rhythm.shift)
}

/** A slot that is at most two before or after the one nearest to the day. */
export const slotNear = (rhythm: Rhythm, day: number, slots: SlotCalendar): number => {
  const { days, months } = cadenceOf(rhythm.cadence)
  if (days !== undefined) return Math.round((day - rhythm.phase) / days)
  const month = slots.monthOf(day)
  return months === 0.5 ? 2 * month : Math.round((month - rhythm.phase) / months!)
}

/** The slot nearest to the day, the earlier one of two. */
export const nearestSlot = (rhythm: Rhythm, day: number, slots: SlotCalendar): number => {
  const near = slotNear(rhythm, day, slots)
  let best = near - 2
  let off = Math.abs(slotDay(rhythm, best, slots) - day)
  for (let slot = near - 1; slot <= near + 2; slot++) {
    const distance = Math.abs(slotDay(rhythm, slot, slots) - day)
    if (distance < off) [best, off] = [slot, distance]
  }
  return best
}

/** The first slot from that one on that lies after the day. */
export const slotAfter = (rhythm: Rhythm, slot: number, day: number, slots: SlotCalendar): number => {
  let next = slot
  while (slotDay(rhythm, next, slots) <= day) next++
  return next
}

/**
 * One text for a rhythm: `monthly/31/following`, `semimonthly/1+15/none`, `quarterly/15@1/none` (in the months January,
 * April, July and October: 1 is the remainder of the month's number), `monthly/w2-4/none` (second Thursday), `weekly/4/none`.
 */
export const rhythmText = ({ cadence, days, phase, shift, weekday }: Rhythm): string => {
  const { months } = cadenceOf(cadence)
  const day = weekday === undefined ? days.join("+") : `w${weekday.nth}-${weekday.day}`
  const anchor = months === undefined ? `${phase}` : months > 1 ? `${day}@${phase}` : day
  return `${cadence}/${anchor}/${shift}`
}

const form = /^([a-zA-Z]+)\/(?:w([1-5])-([0-6])|(\d{1,2})(?:\+(\d{1,2}))?(?:@(\d{1,2}))?)\/([a-z]+)$/

/** `undefined` for what is no text of a rhythm. */
export const readRhythm = (text: string): Rhythm | undefined => {
  const found = form.exec(text)
  const cadence = cadenceNames.find((name) => name === found?.[1])
  const shift = shiftPolicies.find((policy) => policy === found?.[7])
  if (found === null || cadence === undefined || shift === undefined) return undefined
  if (found[2] !== undefined) {
    const weekday = { nth: Number(found[2]), day: Number(found[3]) }
    return { cadence, phase: 0, days: [], weekday, shift }
  }
  const first = Number(found[4])
  if (cadenceOf(cadence).months === undefined) return { cadence, phase: first, days: [], shift }
  const days = found[5] === undefined ? [first] : [first, Number(found[5])]
  const isWhole = days.every((day) => day >= 1 && day <= 31) && days.length === (cadence === "semimonthly" ? 2 : 1)
  return isWhole ? { cadence, phase: Number(found[6] ?? 0), days, shift } : undefined
}
