/**
 * Counts the work of planning (decision 74). Work is counted, not timed, so that the same input costs the same on every machine.
 * One unit is about one character that is looked at.
 */

/** More work than was allowed. */
export class WorkExceeded extends Error {
  readonly _tag = "WorkExceeded"
  constructor() {
    super("needs more work than it may")
  }
}

export class Work {
  /** All that was counted so far. */
  spent = 0
  private most = Infinity

  /** From here on, `units` may be spent. */
  allow(units: number): void {
    this.most = this.spent + units
  }

  /** Throws `WorkExceeded` where that is more than is allowed. Called before the work is done. */
  spend(units: number): void {
    this.spent += units
    if (this.spent > this.most) throw new WorkExceeded()
  }
}
