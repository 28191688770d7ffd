/** Durable tasks: work that outlives the process that began it, each kind with its own handler. */
export { type ClaimedTask, type NewTask, Task, type TaskFence, type TaskId, type TaskOverview } from "../task/Task.ts"
export {
  handleTask,
  recurringTask,
  type RunAgain,
  type RunningTask,
  type TaskError,
  TaskFailure,
  type TaskHandler
} from "../task/TaskHandler.ts"
export { type Backoff, backoffSeconds, NoPayload, taskKind, type TaskKind } from "../task/TaskKind.ts"
export { type TaskHandlerSource, TaskKinds } from "../task/TaskKinds.ts"
export { TaskLease } from "../task/TaskLease.ts"
export { type TaskRequest, Tasks } from "../task/Tasks.ts"
