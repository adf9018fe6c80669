#if Server
import Foundation
import ImageServer
import Raster
import Testing

/// Limits on one client's requests, and clients behind proxies.
@Suite("Requests of a client")
struct RequestLimitTests {
    private func status(_ answer: String) -> String { String(answer.split(separator: " ").dropFirst().first ?? "") }

    @Test("A client has a burst of ten seconds' worth, and then the rate")
    func bursts() throws {
        let rates = RequestRates(rate: 2)
        for _ in 0..<20 { try rates.check("192.0.2.1", now: 100) }
        let refused = #expect(throws: RequestFailure.self) { try rates.check("192.0.2.1", now: 100.1) }
        #expect(refused?.status == 429 && refused?.retryAfter == 1)
        // Refused requests don't count.
        try rates.check("192.0.2.1", now: 100.5)
        #expect(throws: RequestFailure.self) { try rates.check("192.0.2.1", now: 100.9) }
        try rates.check("192.0.2.2", now: 100.9)
        #expect(rates.refusedCount == 2)
        for _ in 0..<20 { try rates.check("192.0.2.1", now: 200) }
        #expect(throws: RequestFailure.self) { try rates.check("192.0.2.1", now: 200) }
    }

    @Test("An IPv6 client is its network, and an IPv4 address in IPv6 form is that address")
    func networks() throws {
        let rates = RequestRates(rate: 0.01)
        try rates.check("2001:db8:1:2::1", now: 0)
        #expect(throws: RequestFailure.self) { try rates.check("2001:db8:1:2:ffff::9", now: 1) }
        try rates.check("2001:db8:1:3::1", now: 1)
        try rates.check("192.0.2.1", now: 1)
        let refused = #expect(throws: RequestFailure.self) { try rates.check("::ffff:192.0.2.1", now: 21) }
        #expect(refused?.retryAfter == 80)
    }

    @Test("A client beyond its rate is refused, with the time to wait, and probes aren't")
    func refused() async throws {
        let server = try await RunningServer { $0.requestRate = 0.0001 }
        #expect(status(try await server.get("/docs")) == "200")
        let refused = try await server.get("/docs?again")
        #expect(refused.hasPrefix("HTTP/1.1 429"), "\(refused)")
        let seconds = try #require(refused.firstMatch(of: /Retry-After: ([0-9]+)\r\n/)).1
        #expect((5000...10000).contains(try #require(Int(seconds))))
        #expect(refused.contains("too many requests from this address; try again in \(seconds) s"))
        for path in ["/healthz", "/readyz", "/metrics"] { #expect(status(try await server.get(path)) == "200") }
        #expect(try await server.get("/metrics").contains("tessera_requests_limited 1\n"))
    }

    @Test("Without a limit, no client is refused")
    func unlimited() async throws {
        let server = try await RunningServer()
        for number in 0..<30 { #expect(status(try await server.get("/docs?\(number)")) == "200") }
        #expect(!(try await server.get("/metrics")).contains("tessera_requests_limited"))
    }

    @Test("Clients of a trusted proxy are told apart, and others can't pretend to be some")
    func proxies() async throws {
        for isTrusted in [true, false] {
            let server = try await RunningServer {
                $0.requestRate = 0.0001
                if isTrusted { $0.trustedProxies = ["127.0.0.0/8", "10.1.0.0/16"] }
            }
            var statuses: [String] = []
            for field in ["192.0.2.1", "192.0.2.2", "6.6.6.6, 192.0.2.2", "192.0.2.3, 10.1.2.3", "192.0.2.1"] {
                let answer = try await server.get("/docs?\(statuses.count)", "X-Forwarded-For: \(field)\r\n")
                statuses.append(status(answer))
            }
            #expect(
                statuses == (isTrusted ? ["200", "200", "429", "200", "429"] : ["200", "429", "429", "429", "429"]))
        }
    }

    @Test("An invalid proxy is refused", arguments: ["", "proxy.example.org", "10.0.0.0/33", "10.0.0.0/8/8", "::/x"])
    func invalidProxies(_ text: String) async throws {
        await #expect(throws: ImageError.self) {
            _ = try await RunningServer { $0.trustedProxies = [text] }
        }
    }
}
#endif
