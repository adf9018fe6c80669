#if HTTP
package import ImageFormats
package import ImageLoading
internal import Platform
internal import Raster
internal import Synchronization

/// Opens images in buckets, of which only the requested parts are read.
///
/// An image's version is its entity tag, so that servers side by side give the same addresses the same versions. It is asked for
/// again after a few seconds; an image that hasn't changed then stays open with the parts that were read.
package final class BucketPictures: Sendable {
    private struct Kept: Sendable {
        let file: OpenedFile
        /// The store's name for the content.
        let version: String
        let checkedAt: ContinuousClock.Instant
    }

    private let store: S3Store
    /// The formats of the served extensions.
    private let formats: [String: ImageFormat]
    private let kept = ByteBoundedCache<String, Kept>(costLimit: 64 << 20, countLimit: 256)
    private let opening = SharedRenders<OpenedFile>()

    /// The longest that a request for an open image waits for the store to confirm it.
    private static let patience = Duration.seconds(2)
    /// The time for which an image isn't asked for again.
    private let freshness: Duration
    /// The expected memory of an open image: its first bytes and some of those read last.
    private static let cost = 1 << 18

    /// Opens images of a store, which gets less time than elsewhere: a client waits.
    /// - Parameter store: nil for the store that the environment names.
    package init(_ store: S3Configuration?, formats: [String: ImageFormat], freshness: Duration = .seconds(5)) {
        var configuration = store ?? S3Store.shared.configuration
        configuration.attemptCount = 3
        configuration.connectTimeout = .seconds(5)
        configuration.idleTimeout = .seconds(10)
        configuration.longestDelay = min(configuration.longestDelay, .seconds(2))
        self.store = S3Store(configuration)
        self.formats = formats
        self.freshness = freshness
    }

    /// The requests so far.
    package var requests: S3Store.Counts { store.requests }

    /// Opens the image at `address`.
    /// - Throws: 404 if there is none, 502 if the store refuses, 503 if it fails for now.
    package func open(
        _ identifier: PictureIdentifier, at address: S3Address
    ) async throws(RequestFailure) -> OpenedFile {
        let key = identifier.path
        if let known = kept.value(for: key), ContinuousClock.now < known.checkedAt + freshness {
            return known.file
        }
        return try await opening.value(for: key) { [self] () throws(RequestFailure) in
            let known = kept.value(for: key)
            do {
                if let known {
                    let version: String?
                    do throws(RequestFailure) {
                        version = try await currentVersion(address)
                    } catch {
                        // A store that fails for now doesn't take away what is open, nor delay each request for it.
                        keep(known.file, known.version, key)
                        return known.file
                    }
                    guard let version else {
                        kept.remove(key)
                        throw RequestFailure.noSuchPicture
                    }
                    if version == known.version {
                        keep(known.file, version, key)
                        return known.file
                    }
                }
                let (source, info) = try await store.object(address)
                let file = OpenedFile(
                    source, identifier: identifier, byteCount: info.byteCount,
                    modificationTime: FileTime(seconds: info.modificationTime ?? 0),
                    version: StableHash("\(address)\n\(info.version)".utf8).half)
                keep(file, info.version, key)
                return file
            } catch let failure as RequestFailure {
                throw failure
            } catch let failure as S3Failure where failure.isOfMissing {
                throw .noSuchPicture
            } catch {
                if let known { return known.file }
                if let failure = error as? S3Failure, 400..<500 ~= failure.status, !failure.isTransient {
                    throw RequestFailure(502, "the image's store refuses this server")
                }
                throw Self.unreachable
            }
        }
    }

    /// The version of the object at `address`; nil if there is none.
    /// - Throws: 503 if the store fails, or doesn't answer in time.
    private func currentVersion(_ address: S3Address) async throws(RequestFailure) -> String? {
        try await withTimeLimit(Self.patience, orThrow: Self.unreachable) { [store] () throws(RequestFailure) in
            do throws(ImageError) {
                return try await store.info(address)?.version
            } catch {
                throw Self.unreachable
            }
        }
    }

    private static let unreachable = RequestFailure(503, "the image's store can't be reached", retryAfter: 5)

    private func keep(_ file: OpenedFile, _ version: String, _ key: String) {
        kept.insert(Kept(file: file, version: version, checkedAt: .now), for: key, cost: Self.cost)
    }

    /// Closes the images whose identifiers match, so that they are opened again.
    /// - Returns: The number of them.
    package func removeAll(where matches: (_ identifier: String) -> Bool) -> Int { kept.removeAll { matches($0) } }

    // MARK: Listing

    /// Lists the images and folders at `address`, whose identifiers begin with `folder`, or those below it whose names contain
    /// the searched text. Waits on the thread.
    func list(
        _ address: S3Address, _ folder: String, _ limits: FolderLimits, search: NameSearch?
    ) throws(RequestFailure) -> FolderContents {
        let listing: S3Store.Listing
        do {
            listing = try S3Blocking.value { [store] in
                try await store.listing(address, isRecursive: search != nil, limit: limits.entryCount)
            }
        } catch let failure as S3Failure where failure.isOfMissing {
            throw RequestFailure(404, "there is no such folder")
        } catch {
            throw RequestFailure(503, "the images' store can't be reached", retryAfter: 5)
        }
        var contents = FolderContents()
        contents.isComplete = listing.isComplete
        func path(_ other: S3Address) -> String {
            let rest = String(Substring(other.key.utf8.dropFirst(address.key.utf8.count)))
            return folder.isEmpty ? rest : "\(folder)/\(rest)"
        }
        for object in listing.objects {
            guard let identifier = try? PictureIdentifier(decoded: path(object.address)),
                search?.matches(identifier.name) ?? true, let ending = identifier.filenameExtension,
                formats[ending] != nil || ending == PictureFolders.pyramidExtension
            else { continue }
            guard search == nil || contents.pictures.count < limits.resultCount else {
                contents.isComplete = false
                break
            }
            contents.pictures.append(
                ListedPicture(
                    identifier: identifier, byteCount: object.byteCount,
                    modificationTime: FileTime(seconds: object.modificationTime ?? 0), format: formats[ending],
                    naturalName: NaturalName(identifier.name)))
        }
        for prefix in listing.prefixes {
            guard let identifier = try? PictureIdentifier(decoded: String(path(prefix).dropLast())) else { continue }
            contents.folders.append((identifier.name, identifier.path))
        }
        return contents
    }
}
#endif
