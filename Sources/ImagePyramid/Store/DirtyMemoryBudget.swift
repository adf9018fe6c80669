internal import Dispatch
internal import Platform
internal import Raster
internal import Synchronization

/// A limit on the memory held by tiles that are written but not on disk yet, for all stores that share it.
///
/// The system keeps written data in memory until it has time to write it, and a store is filled faster than a disk. A
/// writer that would exceed the limit waits until tiles are on disk: always those of the store with the most in memory,
/// so that a large image yields to a small one and both progress. Tiles on disk stay readable, mostly from memory, but
/// the system can reclaim that memory.
///
/// This has no effect on stores in memory, which don't take part, or on a memory file system.
package final class DirtyMemoryBudget: Sendable {
    /// The default budget: an eighth of physical memory, at least 64 MiB.
    package static let shared = DirtyMemoryBudget(byteLimit: max(64 << 20, SystemMemory.physicalByteCount / 8))

    /// The most bytes that may be in memory only. A single row of tiles that is larger passes when nothing else is
    /// counted.
    package let byteLimit: Int

    fileprivate struct State {
        var byteCount = 0
        var accounts: [Account] = []
        var waiting: [DispatchSemaphore] = []
    }

    fileprivate enum Step {
        case go
        case fail(ImageError)
        case wait(DispatchSemaphore)
        case clean(Account, Range<Int>, byteCount: Int)
    }

    private let state = Mutex(State())

    /// Creates a budget of `byteLimit` bytes.
    package init(byteLimit: Int) {
        self.byteLimit = max(0, byteLimit)
    }

    /// An estimate of the bytes that are in memory only: the system may have written some of them.
    package var byteCount: Int { state.withLock { $0.byteCount } }

    /// The memory of one store.
    ///
    /// Unchecked: accessed only by the budget, under its lock.
    final class Account: @unchecked Sendable {
        fileprivate let file: TileFile
        fileprivate var isDirty: [Bool]
        /// Slots that were written, oldest first.
        fileprivate var written: [Range<Int>] = []
        fileprivate var byteCount = 0
        fileprivate var isOpen = true
        fileprivate var failure: ImageError?

        fileprivate init(_ file: TileFile, slotCount: Int) {
            self.file = file
            isDirty = [Bool](repeating: false, count: slotCount)
        }
    }

    func open(_ file: TileFile, slotCount: Int) -> Account {
        let account = Account(file, slotCount: slotCount)
        state.withLock { $0.accounts.append(account) }
        return account
    }

    /// Removes the account before its file is closed.
    func close(_ account: Account) {
        state.withLock { state in
            account.isOpen = false
            state.byteCount -= account.byteCount
            state.accounts.removeAll { $0 === account }
            state.wakeAll()
        }
    }

    func byteCount(of account: Account) -> Int { state.withLock { _ in account.byteCount } }

    /// Waits until there is room for `slots`, which are about to be written, and counts them.
    /// - Throws: The error of writing the account's tiles to disk.
    func reserve(_ slots: Range<Int>, for account: Account) throws(ImageError) {
        while true {
            let step = state.withLock { $0.step(slots, account, byteLimit) }
            switch step {
            case .go: return
            case .fail(let error): throw error
            case .wait(let semaphore): semaphore.wait()
            case .clean(let victim, let range, let byteCount):
                var failure: ImageError?
                do throws(ImageError) {
                    let slot = RawTileStore.slotByteCount
                    try victim.file.writeBack(range.lowerBound * slot..<range.upperBound * slot)
                } catch {
                    failure = error
                }
                state.withLock { state in
                    victim.failure = victim.failure ?? failure
                    if victim.isOpen {
                        victim.byteCount -= byteCount
                        state.byteCount -= byteCount
                    }
                    state.wakeAll()
                }
            }
        }
    }

    /// Records that `slots` were written, or never will be.
    func commit(_ slots: Range<Int>, for account: Account) {
        state.withLock { state in
            guard account.isOpen else { return }
            // A slot that was flushed to disk while it was being rewritten counts again.
            state.count(slots, account)
            // Pieces that the disk takes in a few milliseconds.
            if let last = account.written.last, last.upperBound == slots.lowerBound, last.count + slots.count <= 32 {
                account.written[account.written.count - 1] = last.lowerBound..<slots.upperBound
            } else {
                account.written.append(slots)
            }
            state.wakeAll()
        }
    }
}

extension DirtyMemoryBudget.State {
    fileprivate mutating func step(
        _ slots: Range<Int>, _ account: DirtyMemoryBudget.Account, _ limit: Int
    ) -> DirtyMemoryBudget.Step {
        if let failure = account.failure { return .fail(failure) }
        let wanted = slots.count { !account.isDirty[$0] } * RawTileStore.slotByteCount
        guard wanted > 0, byteCount > 0, byteCount > limit - wanted else {
            count(slots, account)
            return .go
        }
        while let victim = accounts.filter({ !$0.written.isEmpty }).max(by: { $0.byteCount < $1.byteCount }) {
            let range = victim.written.removeFirst()
            let cleaned = range.count { victim.isDirty[$0] } * RawTileStore.slotByteCount
            guard cleaned > 0 else { continue }
            for slot in range { victim.isDirty[slot] = false }
            return .clean(victim, range, byteCount: cleaned)
        }
        // Everything is already being written, to the file or to the disk.
        let semaphore = DispatchSemaphore(value: 0)
        waiting.append(semaphore)
        return .wait(semaphore)
    }

    fileprivate mutating func count(_ slots: Range<Int>, _ account: DirtyMemoryBudget.Account) {
        for slot in slots where !account.isDirty[slot] {
            account.isDirty[slot] = true
            account.byteCount += RawTileStore.slotByteCount
            byteCount += RawTileStore.slotByteCount
        }
    }

    fileprivate mutating func wakeAll() {
        for semaphore in waiting { semaphore.signal() }
        waiting = []
    }
}
