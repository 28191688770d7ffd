/** The job engine of several processes that speak to each other over sockets. */
export { layerSocket, layerSocketClient } from "../ClusterSocket.ts"
