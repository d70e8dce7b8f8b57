module fheasible/benchmarks/lattigo_2020

go 1.21

require github.com/ldsec/lattigo v1.3.0

require (
	golang.org/x/crypto v0.0.0-20190701094942-4def268fd1a4 // indirect
	golang.org/x/sys v0.0.0-20190412213103-97732733099d // indirect
)
