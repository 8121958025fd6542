// Package record is Kafka's record batch, version 2, byte for byte
// (clients/common/record/DefaultRecordBatch.java, DefaultRecord.java).
//
// It owns the layout of batches, records, headers and control records: how
// they are built, read, checked and written again. It refuses to know logs,
// offsets' meaning and the network; compression it knows by number only, the
// codecs themselves come from record/compress.
//
//	 0         8      12     16 17   21   23      27     35     43   51 53   57   61
//	┌──────────┬──────┬──────┬──┬────┬────┬───────┬──────┬──────┬────┬──┬────┬────┬─────────
//	│base      │length│leader│2 │crc │attr│last   │base  │max   │pid │pe│base│re- │ records,
//	│offset    │      │epoch │  │ 32C│    │offset │time- │time- │    │  │seq │cord│ perhaps
//	│          │      │      │  │    │    │delta  │stamp │stamp │    │  │    │cnt │ compressed
//	└──────────┴──────┴──────┴──┴────┴────┴───────┴──────┴──────┴────┴──┴────┴────┴─────────
//	 set by the broker, outside       └────────── the CRC covers this ──────────────────────
//	 the CRC
//
// There are three ways to look at a batch, from cheap to full:
//
//	Raw      the bytes, with a method per field; Frame checks that it is whole
//	Header   all fields as a struct: ParseHeader
//	Batch    header and records as structs: Decode; Encode gives the same bytes back
//
// A batch is made by Build, or record by record by a Builder. Verify checks
// length, magic, CRC and count. Scan walks the bytes of a log file and says
// what is wrong where.
package record
