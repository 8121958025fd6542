package metadata

import "github.com/highwater-sim/highwater/engine/kafka"

// The records about processes, features and the log itself. Field names are
// those of Kafka's schemas; a version in a comment says since when.

// Endpoint is a listener of a broker or controller.
type Endpoint struct {
	Name             string
	Host             string
	Port             uint16
	SecurityProtocol int16 // 0 is PLAINTEXT
	Unknown          []RawTag
}

func codeEndpoint(c *coder, e *Endpoint) {
	c.string(&e.Name)
	c.string(&e.Host)
	c.uint16(&e.Port)
	num16(c, &e.SecurityProtocol)
	c.tags(&e.Unknown)
}

// SupportedFeature is the range of a feature's levels that a process can work with.
type SupportedFeature struct {
	Name     string
	Min, Max int16
	Unknown  []RawTag
}

func codeFeature(c *coder, f *SupportedFeature) {
	c.string(&f.Name)
	num16(c, &f.Min)
	num16(c, &f.Max)
	c.tags(&f.Unknown)
}

// RegisterBrokerRecord registers a broker, fenced; see Broker.Epoch.
type RegisterBrokerRecord struct {
	Head
	BrokerID             kafka.NodeID
	IsMigratingZkBroker  bool // 2+
	IncarnationID        [16]byte
	BrokerEpoch          kafka.BrokerEpoch
	Endpoints            []Endpoint
	Features             []SupportedFeature
	Rack                 *string
	Fenced               bool
	InControlledShutdown bool       // 1+
	LogDirs              [][16]byte // 3+, tag 0
}

// Type implements Record.
func (*RegisterBrokerRecord) Type() Type { return TypeRegisterBroker }

func (r *RegisterBrokerRecord) code(c *coder) {
	num32(c, &r.BrokerID)
	if r.Version >= 2 {
		c.bool(&r.IsMigratingZkBroker)
	}
	uuid(c, &r.IncarnationID)
	num64(c, &r.BrokerEpoch)
	list(c, &r.Endpoints, codeEndpoint)
	list(c, &r.Features, codeFeature)
	c.nullString(&r.Rack)
	c.bool(&r.Fenced)
	if r.Version >= 1 {
		c.bool(&r.InControlledShutdown)
	}
	if r.Version >= 3 {
		c.tags(&r.Unknown, tagged{0, len(r.LogDirs) > 0, func(c *coder) { list(c, &r.LogDirs, uuid[[16]byte]) }})
		return
	}
	c.tags(&r.Unknown)
}

// UnregisterBrokerRecord removes a broker's registration.
type UnregisterBrokerRecord struct {
	Head
	BrokerID    kafka.NodeID
	BrokerEpoch kafka.BrokerEpoch
}

// Type implements Record.
func (*UnregisterBrokerRecord) Type() Type { return TypeUnregisterBroker }

func (r *UnregisterBrokerRecord) code(c *coder) {
	num32(c, &r.BrokerID)
	num64(c, &r.BrokerEpoch)
	c.tags(&r.Unknown)
}

// BrokerRegistrationChangeRecord changes a registration: fencing, controlled
// shutdown, log directories.
type BrokerRegistrationChangeRecord struct {
	Head
	BrokerID             kafka.NodeID
	BrokerEpoch          kafka.BrokerEpoch
	Fenced               int8       // tag 0: -1 unfenced, 0 no change, 1 fenced
	InControlledShutdown int8       // 1+, tag 1: 0 no change, 1 in controlled shutdown
	LogDirs              [][16]byte // 2+, tag 2
}

// Type implements Record.
func (*BrokerRegistrationChangeRecord) Type() Type { return TypeBrokerRegistrationChange }

func (r *BrokerRegistrationChangeRecord) code(c *coder) {
	num32(c, &r.BrokerID)
	num64(c, &r.BrokerEpoch)
	known := []tagged{{0, r.Fenced != 0, func(c *coder) { num8(c, &r.Fenced) }}}
	if r.Version >= 1 {
		known = append(known, tagged{1, r.InControlledShutdown != 0, func(c *coder) { num8(c, &r.InControlledShutdown) }})
	}
	if r.Version >= 2 {
		known = append(known, tagged{2, len(r.LogDirs) > 0, func(c *coder) { list(c, &r.LogDirs, uuid[[16]byte]) }})
	}
	c.tags(&r.Unknown, known...)
}

// FenceBrokerRecord fences a broker; BrokerRegistrationChangeRecord does now.
type FenceBrokerRecord struct {
	Head
	ID    kafka.NodeID
	Epoch kafka.BrokerEpoch
}

// Type implements Record.
func (*FenceBrokerRecord) Type() Type { return TypeFenceBroker }

func (r *FenceBrokerRecord) code(c *coder) {
	num32(c, &r.ID)
	num64(c, &r.Epoch)
	c.tags(&r.Unknown)
}

// UnfenceBrokerRecord unfences a broker; BrokerRegistrationChangeRecord does now.
type UnfenceBrokerRecord struct {
	Head
	ID    kafka.NodeID
	Epoch kafka.BrokerEpoch
}

// Type implements Record.
func (*UnfenceBrokerRecord) Type() Type { return TypeUnfenceBroker }

func (r *UnfenceBrokerRecord) code(c *coder) {
	num32(c, &r.ID)
	num64(c, &r.Epoch)
	c.tags(&r.Unknown)
}

// RegisterControllerRecord registers a member of the quorum (KIP-919).
type RegisterControllerRecord struct {
	Head
	ControllerID     kafka.NodeID
	IncarnationID    [16]byte
	ZkMigrationReady bool
	Endpoints        []Endpoint
	Features         []SupportedFeature
}

// Type implements Record.
func (*RegisterControllerRecord) Type() Type { return TypeRegisterController }

func (r *RegisterControllerRecord) code(c *coder) {
	num32(c, &r.ControllerID)
	uuid(c, &r.IncarnationID)
	c.bool(&r.ZkMigrationReady)
	list(c, &r.Endpoints, codeEndpoint)
	list(c, &r.Features, codeFeature)
	c.tags(&r.Unknown)
}

// FeatureLevelRecord sets the finalized level of a feature (KIP-584).
type FeatureLevelRecord struct {
	Head
	Name  string
	Level int16
}

// Type implements Record.
func (*FeatureLevelRecord) Type() Type { return TypeFeatureLevel }

func (r *FeatureLevelRecord) code(c *coder) {
	c.string(&r.Name)
	num16(c, &r.Level)
	c.tags(&r.Unknown)
}

// ProducerIDsRecord leases a block of producer ids to a broker.
type ProducerIDsRecord struct {
	Head
	BrokerID       kafka.NodeID
	BrokerEpoch    kafka.BrokerEpoch
	NextProducerID int64 // first id that is not leased yet
}

// Type implements Record.
func (*ProducerIDsRecord) Type() Type { return TypeProducerIDs }

func (r *ProducerIDsRecord) code(c *coder) {
	num32(c, &r.BrokerID)
	num64(c, &r.BrokerEpoch)
	num64(c, &r.NextProducerID)
	c.tags(&r.Unknown)
}

// NoOpRecord moves the log's end, so that followers hear of an idle leader (KIP-835).
type NoOpRecord struct{ Head }

// Type implements Record.
func (*NoOpRecord) Type() Type { return TypeNoOp }

func (r *NoOpRecord) code(c *coder) { c.tags(&r.Unknown) }

// ZkMigrationRecord is what clusters before 4.0 wrote about ZooKeeper.
type ZkMigrationRecord struct {
	Head
	State int8
}

// Type implements Record.
func (*ZkMigrationRecord) Type() Type { return TypeZkMigration }

func (r *ZkMigrationRecord) code(c *coder) {
	num8(c, &r.State)
	c.tags(&r.Unknown)
}

// BeginTransactionRecord opens a metadata transaction (KIP-868).
type BeginTransactionRecord struct {
	Head
	Name *string // tag 0
}

// Type implements Record.
func (*BeginTransactionRecord) Type() Type { return TypeBeginTransaction }

func (r *BeginTransactionRecord) code(c *coder) {
	c.tags(&r.Unknown, tagged{0, r.Name != nil, func(c *coder) { c.nullString(&r.Name) }})
}

// EndTransactionRecord closes a metadata transaction.
type EndTransactionRecord struct{ Head }

// Type implements Record.
func (*EndTransactionRecord) Type() Type { return TypeEndTransaction }

func (r *EndTransactionRecord) code(c *coder) { c.tags(&r.Unknown) }

// AbortTransactionRecord drops a metadata transaction.
type AbortTransactionRecord struct {
	Head
	Reason *string // tag 0
}

// Type implements Record.
func (*AbortTransactionRecord) Type() Type { return TypeAbortTransaction }

func (r *AbortTransactionRecord) code(c *coder) {
	c.tags(&r.Unknown, tagged{0, r.Reason != nil, func(c *coder) { c.nullString(&r.Reason) }})
}
