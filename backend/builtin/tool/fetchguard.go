package tool

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"syscall"
)

// privateError refuses an address that is not public.
type privateError struct{ host, at string }

func (e *privateError) Error() string {
	if e.host == e.at {
		return fmt.Sprintf("%s is on this machine or in a private network, which fetch doesn't reach", e.host)
	}
	return fmt.Sprintf("%s is at %s, on this machine or in a private network, which fetch doesn't reach", e.host, e.at)
}

// guard looks at an address when it is about to be connected to, after names were looked up, so that no answer of a name
// server and no redirect leads around it. The user may have allowed the host.
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
		if err != nil || !public(parsed) {
			return &privateError{host, ip}
		}
		return nil
	}
}

// reserved are the networks beside those that netip knows which are no place of the public internet. Some of them carry
// an address of another network within.
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
