/** Requests about jobs. */
import type { RequestsOf } from "../Request.ts"

export const jobs: RequestsOf = (scene, world) => {
  const running = async () => {
    world.hold(true)
    const job = await scene.one("POST", `/v1/feeds/${scene.params["feed_id"]}/sync`, { forceCancelActive: true })
    return { job_id: job.id }
  }
  let job = {}
  return {
    triggerSync: [
      { title: "starts a run of some days", json: { startDate: "2026-01-01", endDate: "2026-01-31" } },
      { title: "refuses one while another one waits" },
      { title: "starts one of what is new", after: 60 },
      { title: "starts one that reads everything", json: { resetCursors: true, skipDedup: true }, after: 60 },
      { title: "refuses days that end before they begin", json: { startDate: "2026-02-01", endDate: "2026-01-01" } },
      async () => {
        await running()
        return { title: "refuses a second run" }
      },
      { title: "starts in place of the one that runs", json: { forceCancelActive: true } },
      { title: "refuses a viewer", as: "person-viewer" }
    ],
    listJobs: [
      { title: "lists the runs", query: "limit=2" },
      { title: "narrows to those that ended well", query: "status=completed&limit=1" }
    ],
    getJob: [
      { title: "reads a run" },
      { title: "does not find one of another feed", params: { feed_id: scene.filesId } }
    ],
    cancelJob: [
      async () => {
        job = await running()
        return { title: "cancels a run", params: job }
      },
      async () => ({ title: "refuses one that was cancelled", params: job }),
      { title: "refuses one that ended" }
    ],
    pauseJob: [
      async () => {
        job = await running()
        return { title: "pauses a run", params: job }
      },
      async () => ({ title: "says again that one is paused", params: job }),
      { title: "refuses one that ended" }
    ],
    resumeJob: [
      async () => {
        world.hold(false)
        return { title: "goes on with a run", params: job }
      },
      async () => ({ title: "refuses one that goes on", params: job })
    ]
  }
}
