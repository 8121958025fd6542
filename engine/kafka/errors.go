package kafka

import "github.com/twmb/franz-go/pkg/kerr"

// ErrorCode is the number that a Kafka response carries; 0 is success.
// It prints as Kafka spells it: NOT_ENOUGH_REPLICAS.
type ErrorCode int16

// The codes that the engine gives or reacts to (clients/common/protocol/Errors.java).
const (
	None                         ErrorCode = 0
	UnknownServerError           ErrorCode = -1
	OffsetOutOfRange             ErrorCode = 1
	CorruptMessage               ErrorCode = 2
	UnknownTopicOrPartition      ErrorCode = 3
	LeaderNotAvailable           ErrorCode = 5
	NotLeaderOrFollower          ErrorCode = 6
	RequestTimedOut              ErrorCode = 7
	BrokerNotAvailable           ErrorCode = 8
	ReplicaNotAvailable          ErrorCode = 9
	MessageTooLarge              ErrorCode = 10
	OffsetMetadataTooLarge       ErrorCode = 12
	NetworkException             ErrorCode = 13
	CoordinatorLoadInProgress    ErrorCode = 14
	CoordinatorNotAvailable      ErrorCode = 15
	NotCoordinator               ErrorCode = 16
	InvalidTopic                 ErrorCode = 17
	RecordListTooLarge           ErrorCode = 18
	NotEnoughReplicas            ErrorCode = 19
	NotEnoughReplicasAfterAppend ErrorCode = 20
	InvalidRequiredAcks          ErrorCode = 21
	IllegalGeneration            ErrorCode = 22
	InvalidGroupID               ErrorCode = 24
	UnknownMemberID              ErrorCode = 25
	InvalidTimestamp             ErrorCode = 32
	TopicAlreadyExists           ErrorCode = 36
	InvalidPartitions            ErrorCode = 37
	InvalidReplicationFactor     ErrorCode = 38
	InvalidReplicaAssignment     ErrorCode = 39
	InvalidConfig                ErrorCode = 40
	NotController                ErrorCode = 41
	InvalidRequest               ErrorCode = 42
	UnsupportedVersion           ErrorCode = 35
	PolicyViolation              ErrorCode = 44
	OutOfOrderSequenceNumber     ErrorCode = 45
	DuplicateSequenceNumber      ErrorCode = 46
	InvalidProducerEpoch         ErrorCode = 47
	InvalidTxnState              ErrorCode = 48
	OperationNotAttempted        ErrorCode = 55
	KafkaStorageError            ErrorCode = 56
	LogDirNotFound               ErrorCode = 57
	FetchSessionIDNotFound       ErrorCode = 70
	InvalidFetchSessionEpoch     ErrorCode = 71
	FencedLeaderEpoch            ErrorCode = 74
	TopicDeletionDisabled        ErrorCode = 73
	UnknownLeaderEpoch           ErrorCode = 75
	StaleBrokerEpoch             ErrorCode = 77
	UnsupportedCompressionType   ErrorCode = 76
	OffsetNotAvailable           ErrorCode = 78
	PreferredLeaderNotAvailable  ErrorCode = 80
	EligibleLeadersNotAvailable  ErrorCode = 83
	ElectionNotNeeded            ErrorCode = 84
	NoReassignmentInProgress     ErrorCode = 85
	ThrottlingQuotaExceeded      ErrorCode = 89
	InvalidRecord                ErrorCode = 87
	InvalidUpdateVersion         ErrorCode = 95
	SnapshotNotFound             ErrorCode = 98
	PositionOutOfRange           ErrorCode = 99
	UnknownTopicID               ErrorCode = 100
	DuplicateBrokerRegistration  ErrorCode = 101
	BrokerIDNotRegistered        ErrorCode = 102
	InconsistentTopicID          ErrorCode = 103
	InconsistentClusterID        ErrorCode = 104
	IneligibleReplica            ErrorCode = 107
	NewLeaderElected             ErrorCode = 108
	InvalidVoterKey              ErrorCode = 125
	DuplicateVoter               ErrorCode = 126
	VoterNotFound                ErrorCode = 127
)

// String is Kafka's name for the code; "NONE" for success.
func (c ErrorCode) String() string {
	switch c {
	case None:
		return "NONE"
	case NotLeaderOrFollower: // kerr has its name of before KIP-392
		return "NOT_LEADER_OR_FOLLOWER"
	}
	if e := kerr.TypedErrorForCode(int16(c)); e != nil {
		return e.Message
	}
	return kerr.UnknownServerError.Message
}

// Retriable reports whether Kafka's clients try again on this code.
func (c ErrorCode) Retriable() bool {
	e := kerr.TypedErrorForCode(int16(c))
	return e != nil && e.Retriable
}
