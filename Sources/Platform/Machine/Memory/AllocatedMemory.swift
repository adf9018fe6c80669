internal import CTesseraSystem

/// What the allocator keeps of memory that was freed.
package enum AllocatedMemory {
    /// Gives memory that was freed back to the system, where the allocator keeps it: glibc's does; nothing elsewhere.
    package static func giveBack() { tessera_return_memory() }

    /// Has the allocator give large blocks back as soon as they are freed, for the whole process; to be called before threads
    /// are started. Nothing where the allocator isn't glibc's.
    package static func keepLittle() { tessera_keep_little_memory() }
}
