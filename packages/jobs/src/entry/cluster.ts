/** The job engine on a database, for one process of a cluster. */
export { layerCluster } from "../ClusterEngine.ts"
