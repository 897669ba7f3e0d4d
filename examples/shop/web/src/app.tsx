import { Checkout } from "./checkout/Checkout";
import { ProductTable } from "./product/ProductTable";

export function App({ path }: { path: string }) {
  return path.startsWith("/checkout") ? <Checkout /> : <ProductTable />;
}
