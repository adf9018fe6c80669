extension ImagePipeline {
    /// How many jobs wait in line and work at `stage`, which isn't `cache`.
    package func jobCounts(at stage: Stage) -> (waiting: Int, running: Int) { loader.graph.counts(at: stage) }

    /// How many jobs there are, whatever they are doing.
    package var jobCount: Int { loader.graph.jobCount }
}
