/**
 * The snapshot of a run that stops midway: the next run resumes from it, so that no page is fetched twice.
 *
 * It is a convenience and never the truth: without it, as after a crash, the run begins at the checkpoint and
 * finds what it had written unchanged.
 */
import * as Context from "effect/Context"
import type { PullRequest } from "../provider/Provider.ts"
import type { Pulled } from "./SourceReader.ts"
import type { StageState } from "./Stage.ts"

/** A segment that was left between two of its pages. */
export interface OpenSegment {
  readonly key: string
  readonly request: PullRequest
  readonly position: string
  readonly warnings: Pulled["warnings"]
  readonly staged: StageState
}

interface Written {
  readonly v: 3
  readonly done: ReadonlyArray<readonly [key: string, pulled: Pulled]>
  readonly open?: OpenSegment
}

/** Characters beyond which a half-read segment is cheaper to read again. */
const longest = 8_000_000

export class ResumeSnapshot {
  /** Segments that this job has pulled and written, here or elsewhere. */
  readonly done: Map<string, Pulled>
  #open: OpenSegment | undefined

  constructor(written?: string) {
    const read = written === undefined ? undefined : (JSON.parse(written) as Written)
    // One of another release says nothing to this one.
    const known = read?.v === 3 ? read : undefined
    this.done = new Map(known?.done)
    this.#open = known?.open
  }

  /** Where the segment was left, once; `undefined` when it was not, or its checkpoint has moved on since. */
  resume(key: string, checkpoint: string | undefined): OpenSegment | undefined {
    const open = this.#open
    if (open?.key !== key) return undefined
    this.#open = undefined
    return open.request.checkpoint === checkpoint ? open : undefined
  }

  /** Notes that the segment is left here. */
  leave(open: OpenSegment): void {
    this.#open = open
  }

  write(): string {
    const done = [...this.done]
    const whole = JSON.stringify({
      v: 3,
      done,
      ...(this.#open === undefined ? {} : { open: this.#open })
    } satisfies Written)
    return whole.length <= longest ? whole : JSON.stringify({ v: 3, done } satisfies Written)
  }
}

/** That of the job which runs; `undefined` for readers without one. */
export const CurrentResumeSnapshot = Context.Reference<ResumeSnapshot | undefined>(
  "@millrace/core/sync/ResumeSnapshot",
  {
    defaultValue: () => undefined
  }
)
