extension ImageService {
    /// What is measured when somebody asks.
    package var gauges: [(name: String, value: Int)] {
        let line = responses.line.totals
        let memory = responses.memoryTotals
        return [
            ("tessera_renders_running", line.running), ("tessera_renders_waiting", line.waiting),
            ("tessera_renders_refused", line.refused), ("tessera_cached_responses", memory.count),
            ("tessera_cached_response_bytes", memory.cost), ("tessera_open_pictures", open.count),
        ]
    }

    /// Waits until what was made is kept.
    package func end() async { await responses.flush() }
}
