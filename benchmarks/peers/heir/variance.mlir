func.func @variance(%x: tensor<4096xf32> {secret.secret}) -> tensor<f32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %n = arith.constant dense<2.44140625e-04> : tensor<f32>
  %s = linalg.reduce {arith.addf} ins(%x : tensor<4096xf32>) outs(%zero : tensor<f32>) dimensions = [0]
  %m = arith.mulf %s, %n : tensor<f32>
  %q = arith.mulf %x, %x : tensor<4096xf32>
  %t = linalg.reduce {arith.addf} ins(%q : tensor<4096xf32>) outs(%zero : tensor<f32>) dimensions = [0]
  %u = arith.mulf %t, %n : tensor<f32>
  %mm = arith.mulf %m, %m : tensor<f32>
  %v = arith.subf %u, %mm : tensor<f32>
  return %v : tensor<f32>
}
