internal import CTesseraSystem

/// Freed memory that the allocator keeps.
package enum AllocatedMemory {
    /// Returns freed memory to the system, with glibc's allocator; does nothing with others.
    package static func giveBack() { tessera_return_memory() }

    /// Makes the allocator return large blocks as soon as they are freed, and keep one arena for each processor, for the whole
    /// process; call it before any thread is started. Does nothing with allocators other than glibc's.
    package static func keepLittle() { tessera_keep_little_memory(Int32(clamping: max(2, ProcessorCount.available))) }
}
