variable "name" { type = string }
variable "instance_class" { type = string }

resource "aws_db_instance" "this" {
  identifier              = var.name
  engine                  = "postgres"
  engine_version          = "16"
  instance_class          = var.instance_class
  backup_retention_period = 14
  deletion_protection     = true
}
