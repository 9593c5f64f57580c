// Package gateway reads what payment gateways say. A gateway is data: a definition
// in one TOML language says how a request is signed, where its fields are, what its
// status words mean, how it is acknowledged and how the gateway is asked. The code
// knows kinds (of envelopes, signatures, amounts, guards) and no gateway's name.
//
// New compiles a definition with a merchant's secrets into a Gateway. Read verifies
// and decodes a webhook, Query asks the gateway, ReadAnswer decodes its answer.
// Everything but Query is pure: no clock, no database, no network.
package gateway
