package main

func main() {
	bits := input("x")
	x := make([]int16, len(bits))
	for i, bit := range bits {
		x[i] = int16(bit)
	}
	c := start()
	evaluator, param, encoder, encryptor, decryptor := Squarings__configure()
	c.prepared()
	var results []int16
	for c.more() {
		encrypted := Squarings__encrypt__arg0(evaluator, param, encoder, encryptor, x)
		c.mark("encrypt")
		evaluated := Squarings(evaluator, param, encoder, encrypted)
		c.mark("evaluate")
		results = Squarings__decrypt__result0(evaluator, param, encoder, decryptor, evaluated)
		c.mark("decrypt")
	}
	tell(c, results)
}
