using System.Text.Json;
using System.Text.Json.Serialization;

namespace Ioxide.Report;

/// <summary>Reads and writes the files of <c>bench/results</c>.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.SnakeCaseLower,
    DefaultIgnoreCondition = JsonIgnoreCondition.Never,
    WriteIndented = true,
    RespectNullableAnnotations = true,
    RespectRequiredConstructorParameters = true)]
[JsonSerializable(typeof(RunRecord))]
internal sealed partial class RunJson : JsonSerializerContext
{
    /// <exception cref="InvalidDataException">The file holds no run.</exception>
    internal static RunRecord Read(string path)
    {
        try
        {
            return JsonSerializer.Deserialize(File.ReadAllBytes(path), Default.RunRecord)
                ?? throw new InvalidDataException($"{path} holds no run.");
        }
        catch (JsonException exception)
        {
            throw new InvalidDataException($"{path}: {exception.Message}", exception);
        }
    }

    internal static void Write(string path, RunRecord run)
    {
        Directory.CreateDirectory(Path.GetDirectoryName(Path.GetFullPath(path))!);
        File.WriteAllText(path, JsonSerializer.Serialize(run, Default.RunRecord) + "\n");
    }
}
