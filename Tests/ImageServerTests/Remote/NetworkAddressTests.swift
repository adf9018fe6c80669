import ImageServer
import Testing

/// Addresses, and which of them everybody can reach.
@Suite("Network addresses")
struct NetworkAddressTests {
    @Test(
        "Public addresses are public",
        arguments: [
            "1.1.1.1", "8.8.8.8", "93.184.216.34", "100.63.255.255", "100.128.0.0", "128.0.0.1", "172.15.255.255",
            "172.32.0.0",
            "169.253.255.255", "192.167.255.255", "198.17.255.255", "198.20.0.0", "223.255.255.255",
            "2606:4700:4700::1111",
            "2001:200::1", "2a00:1450:4001:81b::200e", "2001:4860:4860::8888", "2003::1", "3ffe::1",
        ])
    func isPublic(_ text: String) throws {
        #expect(try #require(NetworkAddress(text)).isPublic)
    }

    @Test(
        "Private and reserved addresses aren't public",
        arguments: [
            "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.88.99.1", "192.168.0.1",
            "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1",
            "255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:a9fe:a9fe", "::8.8.8.8",
            "64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::1", "100::1", "2001::1",
            "2001:0:4136:e378:8000:63bf:3fff:fdd2",
            "2001:2::1", "2001:10::1", "2001:20::1", "2001:db8::1", "2002:7f00:1::", "2002:808:808::1", "3fff::1",
            "5f00::1",
            "fc00::1", "fd12:3456:789a::1", "fe80::1", "febf::1", "fec0::1", "ff02::1", "ff0e::1",
        ])
    func isNotPublic(_ text: String) throws {
        #expect(try !#require(NetworkAddress(text)).isPublic)
    }

    @Test(
        "Malformed addresses are refused",
        arguments: [
            "", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.04", "0x1.2.3.4", "1.2.3.4 ", " 1.2.3.4",
            "1.2.3.4/8",
            "2130706433", "a.b.c.d", "[::1]", "::1%lo", "1::2::3", "12345::", ":::", "::1\0", "١.٢.٣.٤",
            String(repeating: "1", count: 10_000),
        ])
    func isNoAddress(_ text: String) {
        #expect(NetworkAddress(text) == nil)
    }

    @Test(
        "An address has one form",
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("::1", "::1"), ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"),
            ("::ffff:1.2.3.4", "::ffff:1.2.3.4"), ("0:0:0:0:0:0:0:0", "::"),
        ])
    func hasOneForm(_ text: String, _ usual: String) throws {
        #expect(try #require(NetworkAddress(text)).description == usual)
    }
}
