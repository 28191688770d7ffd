/** The version of the command line, which is counted apart from that of the packages (specification 9). */
export const version = "0.1.1"
