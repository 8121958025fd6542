package world

// The codecs of compression.type, for producers, brokers and whoever reads.
import _ "github.com/highwater-sim/highwater/engine/record/compress"
