using System.Text.Json;

namespace Ioxide.Pg;

/// <summary><c>jsonb</c> as a document that the caller disposes; <c>json</c> is read too.</summary>
internal sealed class JsonDocumentCodec : PgCodec<JsonDocument>
{
    internal static readonly JsonDocumentCodec Instance = new();

    public override uint TypeId => PgTypeId.Jsonb;

    public override int Measure(JsonDocument value) => JsonElementCodec.Instance.Measure(value.RootElement);

    public override void Write(JsonDocument value, Span<byte> destination) => JsonElementCodec.Instance.Write(value.RootElement, destination);

    public override JsonDocument Read(PgField field)
        => field.IsNull
            ? null! // NULL is null; a caller that rules it out asks for it as JsonDocument?.
            : JsonDocument.Parse(JsonElementCodec.Open<JsonDocument>(field).ToArray());
}
