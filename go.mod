module github.com/digitalbanking-sim/banksim

go 1.25

require github.com/tidwall/btree v1.8.2 // indirect
