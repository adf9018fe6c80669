/// The number of processors to use.
package enum ProcessorCount {
    /// The processors that are online, at least one.
    package static let available = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
}
