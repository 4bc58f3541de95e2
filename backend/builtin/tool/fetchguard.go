package tool

import (
	"net"
	"net/netip"
	"slices"
	"strings"
	"syscall"
)

// guard returns a [net.Dialer.Control] that rejects private addresses with an *[Error], unless host is allowed. It runs
// after the DNS lookup, so neither DNS answers nor redirects can bypass it.
func guard(host string, allowed []string) func(network, at string, _ syscall.RawConn) error {
	return func(_, at string, _ syscall.RawConn) error {
		if slices.ContainsFunc(allowed, func(one string) bool { return strings.EqualFold(strings.Trim(one, "[]"), host) }) {
			return nil
		}
		ip, _, err := net.SplitHostPort(at)
		if err != nil {
			return err
		}
		parsed, err := netip.ParseAddr(ip)
		switch {
		case err == nil && public(parsed):
			return nil
		case host == ip:
			return failf("%s is on this machine or in a private network, which fetch doesn't reach.", host)
		}
		return failf("%s is at %s, on this machine or in a private network, which fetch doesn't reach.", host, ip)
	}
}

// reserved are non-public networks that netip doesn't know. Some of them embed an address of another network.
var reserved = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"), netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("198.51.100.0/24"), netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("100::/64"), netip.MustParsePrefix("2001::/32"),
	netip.MustParsePrefix("2001:db8::/32"), netip.MustParsePrefix("2002::/16"), netip.MustParsePrefix("fec0::/10"), netip.MustParsePrefix("::/96"),
}

func public(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	if !ip.IsGlobalUnicast() || ip.IsPrivate() {
		return false
	}
	return !slices.ContainsFunc(reserved, func(p netip.Prefix) bool { return p.Contains(ip) })
}
