package gateway

import "bytes"

// parseForm reads name=value pairs, decoding each exactly once. A value that is not
// properly encoded is faulty by itself and spoils no other.
func parseForm(src []byte) (*document, error) {
	if len(bytes.TrimSpace(src)) == 0 {
		return nil, errEmpty
	}
	if len(src) > maxBodyBytes {
		return nil, errTooLarge
	}
	d := newDocument(make([]byte, 0, len(src)))
	d.flat = true
	d.nodes = append(d.nodes, node{kind: object})
	for pair := range bytes.SplitSeq(bytes.TrimPrefix(src, byteOrderMark), []byte("&")) {
		if len(pair) == 0 {
			continue
		}
		if len(d.nodes) >= maxNodes {
			d.release()
			return nil, errTooMany
		}
		name, val, _ := bytes.Cut(pair, []byte("="))
		d.addPair(name, val)
	}
	d.nodes[0].next = int32(len(d.nodes))
	d.nodes[0].end = int32(len(d.src))
	return d, nil
}

func (d *document) addPair(name, val []byte) {
	n := node{kind: text, keyStart: int32(len(d.src))}
	d.src, _ = appendDecoded(d.src, name)
	n.keyEnd = int32(len(d.src))
	n.start = n.keyEnd
	var ok bool
	if d.src, ok = appendDecoded(d.src, val); !ok {
		n.kind = faulty
	}
	n.end = int32(len(d.src))
	n.next = int32(len(d.nodes)) + 1
	d.nodes = append(d.nodes, n)
}

// appendDecoded resolves + and %XX once; what is no escape stays and is reported.
func appendDecoded(dst, s []byte) ([]byte, bool) {
	ok := true
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '+':
			dst = append(dst, ' ')
		case s[i] != '%':
			dst = append(dst, s[i])
		case i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			dst = append(dst, unhex(s[i+1])<<4|unhex(s[i+2]))
			i += 2
		default:
			dst, ok = append(dst, '%'), false
		}
	}
	return dst, ok
}

func unhex(c byte) byte {
	switch {
	case c >= 'a':
		return c - 'a' + 10
	case c >= 'A':
		return c - 'A' + 10
	}
	return c - '0'
}
