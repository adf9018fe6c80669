#if HTTP
import Foundation
import TestSupport

/// A server that takes connections and, once there is something to read, resets them.
final class ResettingServer: Sendable {
    let url: URL
    private let listener: LoopbackListener

    init() throws {
        listener = try LoopbackListener()
        url = URL(string: "http://127.0.0.1:\(listener.port)/a")!
        listener.accept { connection in
            var status = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
            _ = poll(&status, 1, -1)
            // What nobody has read is lost: the other side is told so.
            close(connection)
        }
    }
}
#endif
