#if HTTP
internal import Essentials
internal import ImageFormats
internal import Platform
internal import Synchronization

/// Finds credentials and keeps them until shortly before they expire: in the environment, in AWS's shared files, and at the
/// metadata endpoints of containers and machines, in this order.
final class S3CredentialChain: Sendable {
    private let find: @Sendable () async throws -> S3Credentials?
    private let state = Mutex(State())

    private struct State {
        var known: S3Credentials?
        var search: Task<S3Credentials, any Error>?
    }

    private enum Answer {
        case known(S3Credentials)
        case search(Task<S3Credentials, any Error>)
    }

    /// Credentials are replaced this many seconds before they expire.
    private static let margin: Int64 = 300

    /// Always returns `credentials`.
    init(_ credentials: S3Credentials) {
        find = { credentials }
        state.withLock { $0.known = credentials }
    }

    /// Searches as AWS's programs do.
    init(environment: [String: String]) {
        find = {
            if let id = environment["AWS_ACCESS_KEY_ID"], let secret = environment["AWS_SECRET_ACCESS_KEY"], !id.isEmpty
            {
                return S3Credentials(
                    accessKeyID: id, secretAccessKey: secret, sessionToken: environment["AWS_SESSION_TOKEN"])
            }
            if let credentials = AWSProfile(environment: environment).credentials { return credentials }
            return try await AWSMetadata(environment: environment).credentials()
        }
    }

    /// Returns valid credentials. Concurrent callers share a search.
    /// - Parameter refused: Credentials that the store has refused as expired, which aren't returned if there are others.
    /// - Throws: `S3Failure` if there are none.
    func credentials(replacing refused: S3Credentials? = nil) async throws -> S3Credentials {
        let answer = state.withLock { state -> Answer in
            // Without a task, which would run on Swift's threads: a caller may have blocked them all (`S3Blocking`).
            if let known = state.known, known != refused, !Self.isEnding(known) { return .known(known) }
            if let search = state.search { return .search(search) }
            let find = find
            let new = Task { () throws -> S3Credentials in
                let result = await Result { try await find() }
                self.state.withLock { state in
                    state.search = nil
                    if case .success(let found?) = result { state.known = found }
                }
                guard let found = try result.get() else {
                    throw S3Failure(
                        code: "NoCredentials",
                        message:
                            "there are no credentials for S3: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile in ~/.aws/credentials"
                    )
                }
                return found
            }
            state.search = new
            return .search(new)
        }
        switch answer {
        case .known(let credentials): return credentials
        case .search(let task): return try await task.value
        }
    }

    private static func isEnding(_ credentials: S3Credentials) -> Bool {
        credentials.expiry.map { $0 - margin < Int64(time(nil)) } ?? false
    }
}

extension AWSMetadata {
    /// The token in a file, which is read for each request since it is replaced from time to time.
    static func token(inFile path: String) -> String {
        guard let bytes = try? Source(regularFile: path).bytes(limit: 64 << 10) else { return "" }
        return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
#endif
