# The outbox worker is the only writer. Consumers must cope with a message that
# comes twice.
resource "aws_sqs_queue" "billing_events" {
  name                       = "billing-events"
  visibility_timeout_seconds = 90
  redrive_policy = jsonencode({
    deadLetterTargetArn = aws_sqs_queue.billing_dead.arn
    maxReceiveCount     = 5
  })
}

resource "aws_sqs_queue" "billing_dead" {
  name                      = "billing-events-dead"
  message_retention_seconds = 1209600
}
