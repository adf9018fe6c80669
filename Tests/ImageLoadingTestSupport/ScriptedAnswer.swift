#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif
package import ImageLoading

/// What a scripted loader answers at once.
package struct ScriptedAnswer: Sendable {
    package var status: Int
    package var headers: HTTPHeaders
    package var pieces: [Data]
    /// How many bytes the response speaks of; nil for what there are.
    package var announcedByteCount: Int?
    /// What happens after the pieces; nil for the regular end.
    package var error: (any Error)?
    /// Whether there is no response, only the error.
    package var failsAtOnce: Bool

    package init(
        status: Int = 200, headers: HTTPHeaders = HTTPHeaders(), pieces: [Data] = [], announcedByteCount: Int? = nil,
        error: (any Error)? = nil
    ) {
        self.status = status
        self.headers = headers
        self.pieces = pieces
        self.announcedByteCount = announcedByteCount
        self.error = error
        failsAtOnce = false
    }

    /// A failure without a response.
    package static func failure(_ error: any Error) -> ScriptedAnswer {
        var answer = ScriptedAnswer(error: error)
        answer.failsAtOnce = true
        return answer
    }

    func give(to load: ScriptedLoad) {
        if failsAtOnce, let error { return load.fail(error) }
        load.respond(
            status: status, headers: headers,
            byteCount: announcedByteCount ?? pieces.reduce(0) { $0 + $1.count })
        for piece in pieces { load.send(piece) }
        if let error { load.fail(error) } else { load.finish() }
    }
}
