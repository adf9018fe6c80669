#if Server
internal import HTTPTypes
internal import NIOCore

/// A response that goes out again as it is, without anything being looked up but its address.
struct HotResponse: Sendable {
    let head: HTTPResponse
    /// The server as the client called it, which is in the links of the head.
    let authority: String?
    let body: ByteBuffer
    let entityTag: String
    /// Until when its file needn't be looked at again.
    let expiration: NIODeadline

    /// How long it is trusted that a file is the same.
    static let lifetime = TimeAmount.seconds(1)

    /// What is larger is sent in pieces, as the client takes them.
    static let largestBody = 256 << 10

    /// - Returns: Nil for a response that isn't the same for everybody.
    init?(_ response: ServiceResponse, head: HTTPResponse, authority: String?) {
        guard response.status == 200, response.source != nil, response["Vary"] == nil, let tag = response["ETag"],
            case .bytes(let bytes) = response.body, bytes.count <= Self.largestBody
        else { return nil }
        self.head = head
        self.authority = authority
        body = bytes.buffer
        entityTag = tag
        expiration = .now() + Self.lifetime
    }
}
#endif
