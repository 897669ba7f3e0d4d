terraform {
  required_version = ">= 1.9"
  backend "s3" {
    bucket       = "shop-terraform-state"
    key          = "prod.tfstate"
    use_lockfile = true
  }
}

module "database" {
  source         = "./modules/database"
  name           = "shop"
  instance_class = var.database_class
}
