import Foundation
import Platform
import TestSupport
import Testing

@Suite("The machine")
struct MachineTests {
    @Test("The monotonic clock advances")
    func timeGoesOn() {
        let start = MonotonicClock.milliseconds
        // The clock is what is tested. A busy machine sleeps longer, so the upper bound is a minute.
        usleep(20_000)
        let passed = MonotonicClock.milliseconds - start
        #expect(passed >= 20 && passed < 60_000)
    }

    @Test("A resource limit is raised to its maximum")
    func limitsAreRaisedToWhatMayBe() {
        ResourceLimit.openFiles.raise()
        let once = ResourceLimit.openFiles.current
        ResourceLimit.openFiles.raise()
        #expect(once == ResourceLimit.openFiles.current && once ?? 0 >= 256)
        #expect(ResourceLimit.fileByteCount.current ?? 0 > 1 << 30)
    }

    @Test("A lowered resource limit is reported")
    func aLimitIsSeen() async {
        await #expect(processExitsWith: .success) {
            #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
            #else
            let resource = RLIMIT_FSIZE
            #endif
            var limit = rlimit(rlim_cur: 12_345, rlim_max: 1 << 20)
            setrlimit(resource, &limit)
            #expect(ResourceLimit.fileByteCount.current == 12_345)
            ResourceLimit.fileByteCount.raise()
            #expect(ResourceLimit.fileByteCount.current == 1 << 20)
        }
    }

    @Test("This machine has memory")
    func thisMachineHasMemory() {
        let memory = SystemMemory()
        #expect(memory.byteCount > 64 << 20)
        // POSIX says nothing of what is left.
        #expect(memory.isKnown != SystemForms.arePOSIX)
        if SystemForms.arePOSIX { #expect(memory.pressure == nil) }
    }

    @Test("The peak of memory use includes touched pages")
    func thePeakHasWhatWasTouched() {
        let byteCount = 96 << 20
        let memory = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 1 << 21)
        HugePages.advise(UnsafeMutableRawBufferPointer(start: memory, count: byteCount))
        memset(memory, 1, byteCount)
        #expect(memory.load(fromByteOffset: byteCount - 1, as: UInt8.self) == 1)
        memory.deallocate()
        AllocatedMemory.giveBack()
        #expect(PeakMemory.byteCount >= byteCount && PeakMemory.byteCount < 1 << 40)
    }
}
