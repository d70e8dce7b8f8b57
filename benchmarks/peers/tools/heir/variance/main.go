package main

func main() {
	x := input("x")
	c := start()
	evaluator, param, encoder, encryptor, decryptor := Variance__configure()
	plain := Variance__preprocessing(param, encoder)
	c.prepared()
	var results []float32
	for c.more() {
		encrypted := Variance__encrypt__arg0(evaluator, param, encoder, encryptor, x)
		c.mark("encrypt")
		evaluated := Variance__preprocessed(evaluator, param, encoder, encrypted, plain)
		c.mark("evaluate")
		results = Variance__decrypt__result0(evaluator, param, encoder, decryptor, evaluated)
		c.mark("decrypt")
	}
	tell(c, results)
}
