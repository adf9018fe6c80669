#if HTTP
package import ImageFormats
internal import Raster

// For callers that read and write files, too, and so wait on threads that may block.
extension S3Store {
    /// Waits for `work`, which concerns the object or prefix at `address`.
    func waiting<R: Sendable>(
        for address: S3Address, _ description: String, _ work: @escaping @Sendable () async throws -> R
    ) throws(ImageError) -> R {
        do {
            return try S3Blocking.value(work)
        } catch {
            throw ImageError(error, about: address, description)
        }
    }

    /// Opens an object as `source(_:)` does.
    /// - Parameter isWhole: Whether most of it will be read, from the beginning to the end.
    package func openSource(_ address: S3Address, isWhole: Bool) throws(ImageError) -> Source {
        let firstByteCount = isWhole ? S3Object.firstByteCountOfWhole : S3Object.firstByteCount
        return try waiting(for: address, "reading") { try await self.source(address, firstByteCount: firstByteCount) }
    }

    /// Looks an object up as `info(_:)` does.
    package func findInfo(_ address: S3Address) throws(ImageError) -> ObjectInfo? {
        try waiting(for: address, "looking up") { try await self.info(address) }
    }

    /// Writes small objects, eight at a time.
    package func putAll(
        _ objects: [(bytes: Source, address: S3Address, contentType: String?)], overwrites: Bool
    ) throws(ImageError) {
        guard let first = objects.first else { return }
        try waiting(for: first.address, "writing") {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, object) in objects.enumerated() {
                    if number >= 8 { try await group.next() }
                    group.addTask {
                        try await self.put(
                            object.bytes.bytes(), to: object.address, contentType: object.contentType,
                            overwrites: overwrites)
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    /// Lists all objects below a prefix, and returns what `body` makes of them; nil if there are more than `limit`.
    package func findEach<Taken: Sendable>(
        _ address: S3Address, limit: Int, _ body: @escaping @Sendable (ObjectInfo) -> Taken?
    ) throws(ImageError) -> [Taken]? {
        try waiting(for: address, "listing") {
            var (taken, count, isComplete) = ([Taken](), 0, false)
            try await self.forEachPage(of: address, isRecursive: true) { page in
                taken += page.objects.compactMap(body)
                count += page.objects.count
                isComplete = page.isComplete
                return count < limit
            }
            return isComplete ? taken : nil
        }
    }

    /// Lists objects as `list(_:isRecursive:limit:)` does.
    package func findAll(
        _ address: S3Address, isRecursive: Bool = false, limit: Int = 1_000_000
    ) throws(ImageError) -> Listing {
        try waiting(for: address, "listing") { try await self.list(address, isRecursive: isRecursive, limit: limit) }
    }
}
#endif
