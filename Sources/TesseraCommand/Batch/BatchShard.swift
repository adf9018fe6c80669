internal import ArgumentParser
internal import Essentials

/// One of the parts of equal rank into which a batch is divided. Each input belongs to exactly one.
struct BatchShard: Hashable, Sendable, CustomStringConvertible {
    /// 0 to `count - 1`.
    let index: Int
    /// At least 1.
    let count: Int

    /// All inputs.
    static let whole = BatchShard(index: 0, count: 1)

    /// Parses an argument: `3/8` is the fourth of eight.
    static func parse(_ argument: String) throws -> BatchShard {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let index = parts[0], let count = parts[1], count >= 1, (0..<count).contains(index)
        else {
            throw ValidationError("write a shard's number from 0 and the number of shards, as in 0/8 to 7/8")
        }
        return BatchShard(index: index, count: count)
    }

    /// The shard of an array task of Slurm or a pod of an indexed job of Kubernetes; nil outside of both.
    /// - Parameter count: The number of shards if an option has it.
    /// - Throws: `ValidationError` if the variables don't determine a shard.
    init?(environment: [String: String], count: Int?) throws {
        func number(_ name: String) throws -> Int? {
            guard let text = environment[name], !text.isEmpty else { return nil }
            guard let number = Int(text), number >= 0 else {
                throw ValidationError("\(name) is a number from 0, not \"\(text)\"; --shard 0/1 ignores it")
            }
            return number
        }
        let count = try count ?? number("TESSERA_BATCH_SHARDS")
        if let task = try number("SLURM_ARRAY_TASK_ID") {
            if let count {
                self = try Self(task, of: count, "SLURM_ARRAY_TASK_ID")
                return
            }
            guard let taskCount = try number("SLURM_ARRAY_TASK_COUNT"), taskCount >= 1 else {
                throw ValidationError("SLURM_ARRAY_TASK_ID is set without SLURM_ARRAY_TASK_COUNT; add --shards COUNT")
            }
            let (first, step) = (try number("SLURM_ARRAY_TASK_MIN") ?? 0, try number("SLURM_ARRAY_TASK_STEP") ?? 1)
            // Of a list such as 3,7,8 the places can't be computed.
            guard step >= 1, task >= first, (task - first) % step == 0, (task - first) / step < taskCount,
                try number("SLURM_ARRAY_TASK_MAX").map({ $0 == first + (taskCount - 1) * step }) ?? true
            else {
                throw ValidationError(
                    "the array's tasks aren't numbered evenly; number them from 0 and add --shards COUNT, "
                        + "the number of all tasks")
            }
            self.init(index: (task - first) / step, count: taskCount)
        } else if let index = try number("JOB_COMPLETION_INDEX") {
            guard let count else {
                throw ValidationError(
                    "JOB_COMPLETION_INDEX is set; add --shards COUNT or TESSERA_BATCH_SHARDS, the job's completions")
            }
            self = try Self(index, of: count, "JOB_COMPLETION_INDEX")
        } else {
            return nil
        }
    }

    private init(_ index: Int, of count: Int, _ name: String) throws {
        guard index < count else {
            throw ValidationError("\(name) is \(index), and there are \(count) shards, numbered from 0")
        }
        self.init(index: index, count: count)
    }

    private init(index: Int, count: Int) {
        self.index = index
        self.count = count
    }

    /// Whether the input called `name` belongs to this shard. Depends on the name and the number of shards only.
    func contains(_ name: String) -> Bool {
        count == 1 || NameHash(name).remainder(count) == index
    }

    var description: String { "\(index)/\(count)" }
}
